import { expect } from 'chai';
import { createLedger } from '#controller/queue/ledger.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey as keyOf } from '#runtime/kube/types.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { end, queuedJob as job } from '#test/support/builders/queued-jobs.ts';

/** Pseudo-random numbers, the same in every run. */
function randomOf(seed: number) {
  return (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

function ledgerOf(inAll: number, onReserved: (key: string) => void = () => undefined) {
  return createLedger({
    limits: { inAll, perBucket: 1000, ofProject: () => 1000, isHeld: () => false },
    trustedQueues: [],
    pause: { reason: undefined },
    rate: { perSecond: 1e6, burst: 1e6 },
    clock: createManualClock(),
    physicalBucket: () => undefined,
    onReserved,
    onNext: () => undefined,
  });
}

interface Run {
  readonly key: string;
  readonly endsAt: number;
}

const SLOTS = 20;
const SIZES = [550, 50, 50, 50, 50, 50, 50, 50, 50, 50];

/** 1,000 jobs of ten projects. The first project requests more than half of them. Returns the end of each project. */
function drain(seed: number): { readonly ends: ReadonlyMap<string, number>; readonly most: number } {
  const random = randomOf(seed);
  let now = 0;
  let most = 0;
  let runs: Run[] = [];
  const jobs = new Map<string, ZipJob>();
  function begin(key: string): void {
    runs.push({ key, endsAt: now + 0.5 + random() });
    most = Math.max(most, runs.length);
  }
  const ledger = ledgerOf(SLOTS, begin);
  for (const [index, size] of SIZES.entries())
    for (let n = 0; n < size; n += 1) {
      const one = job(`j${n}`, { project: `p${index}`, age: 10_000 - index * 600 - n });
      jobs.set(keyOf(one), one);
    }
  for (const [key, one] of jobs)
    if (ledger.reserve(one).state === 'reserved' && !runs.some((run) => run.key === key)) begin(key);
  const ends = new Map<string, number>();
  while (runs.length > 0) {
    const first = runs.reduce((a, b) => (b.endsAt < a.endsAt ? b : a));
    runs = runs.filter((run) => run !== first);
    now = first.endsAt;
    const one = jobs.get(first.key);
    jobs.delete(first.key);
    ends.set(first.key.slice(0, 2), now);
    if (one) end(ledger, one);
  }
  expect(jobs.size).to.equal(0);
  return { ends, most };
}

describe('the ledger under load', () => {
  for (const seed of [1, 2, 3])
    it(`finishes each project within twice its fair time: 1,000 jobs, 10 projects, 20 slots, seed ${seed} (F22)`, () => {
      const { ends, most } = drain(seed);
      expect(most, 'with the slots of projects that had no running job').to.equal(SLOTS * 1.1);
      // With two slots each, a small project needs 50 / 2 runs of a second; the big one uses the rest.
      for (const project of SIZES.keys()) {
        const fair = project === 0 ? 1000 / SLOTS : 50 / (SLOTS / SIZES.length);
        expect(ends.get(`p${project}`), `p${project}`).to.be.lessThan(2 * fair);
      }
    });

  it('serves a project of 100 jobs round-robin beside one with 100,000 (G4)', () => {
    const reserved: string[] = [];
    const ledger = ledgerOf(SLOTS, (key) => reserved.push(key));
    const jobs = new Map<string, ZipJob>();
    function add(name: string, project: string, age: number): void {
      const one = job(name, { project, age });
      jobs.set(keyOf(one), one);
      if (ledger.reserve(one).state === 'reserved' && !reserved.includes(keyOf(one)))
        reserved.push(keyOf(one));
    }
    for (let n = 0; n < 100_000; n += 1) add(`j${n}`, 'large', 200_000 - n);
    for (let n = 0; n < 100; n += 1) add(`j${n}`, 'small', 100 - n);
    for (let ended = 0; ended < 300; ended += 1) {
      const one = jobs.get(reserved[ended] ?? '');
      if (one) end(ledger, one);
    }
    const smallAt = reserved.flatMap((key, index) => (key.startsWith('small/') ? [index] : []));
    expect(smallAt).to.have.lengthOf(100);
    // First it gets half of the slots, one after another, and then every second one.
    const late = smallAt.filter((at, n) => at > SLOTS + 2 * (n + 1));
    expect(late).to.deep.equal([]);
  });

  /** CPU time to queue and end jobs of 50 projects; the least of three runs. */
  function cpuMsOf(count: number): number {
    const jobs = Array.from({ length: count }, (_, n) => job(`j${n}`, { project: `p${n % 50}`, age: n }));
    const runs = [1, 2, 3].map(() => {
      const ledger = ledgerOf(10);
      const before = process.cpuUsage();
      for (const one of jobs) ledger.reserve(one);
      for (const one of jobs) end(ledger, one);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...runs);
  }

  it('costs about as much for each of ten thousand waiting jobs as for each of a thousand (G4)', () => {
    const few = cpuMsOf(1_000);
    const many = cpuMsOf(10_000);
    expect(many / few, `${few} ms and ${many} ms`).to.be.lessThan(40);
  });
});
