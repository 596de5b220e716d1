import { expect } from 'chai';
import { createSlots, type Slots } from '#controller/admission/ledger.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { ago, aZipJob } from '#test/support/builders/builders.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

interface Named {
  readonly project?: string;
  readonly bucket?: string;
  /** Age in seconds. */
  readonly age?: number;
  readonly status?: ZipJobStatus;
}

const job = (name: string, { project = 'a', bucket = 's3-x', age = 60, status }: Named = {}): ZipJob =>
  aZipJob({
    metadata: { name, namespace: project, uid: `uid-${name}`, creationTimestamp: ago(age) },
    spec: { bucketRef: { name: bucket } },
    ...(status && { status }),
  });

const keyOf = ({ metadata }: ZipJob): string => `${metadata.namespace}/${metadata.name}`;
const end = (slots: Slots, zipJob: ZipJob): void =>
  slots.see({
    kind: 'set',
    key: keyOf(zipJob),
    object: { ...zipJob, status: { phase: 'Succeeded' } },
    before: zipJob,
  });

interface Limits {
  readonly inAll?: number;
  readonly perBucket?: number;
  readonly ofProject?: (project: string) => number;
}

const setUp = ({ inAll = 100, perBucket = 100, ofProject = () => 100 }: Limits = {}, perSecond = 1e6) => {
  const granted: string[] = [];
  const clock = createManualClock();
  const pause: { reason: string | undefined } = { reason: undefined };
  const slots = createSlots({
    limits: { inAll, perBucket, ofProject },
    trustedQueues: ['night'],
    pause,
    rate: { perSecond, burst: perSecond },
    clock,
    onGranted: (key) => {
      granted.push(key);
    },
  });
  const ask = (...jobs: readonly ZipJob[]): readonly string[] => jobs.map((one) => slots.ask(one).kind);
  return { slots, granted, clock, pause, ask };
};

describe('slots', () => {
  const limits: readonly { name: string; limits: Limits; second: Named; want: RegExp }[] = [
    {
      name: 'in all',
      limits: { inAll: 1 },
      second: { project: 'b' },
      want: /^at most 1 jobs can run at the same time in total/,
    },
    {
      name: 'of the project',
      limits: { ofProject: () => 1 },
      second: { bucket: 's3-y' },
      want: /of this project/,
    },
    { name: 'of the bucket', limits: { perBucket: 1 }, second: {}, want: /of one bucket/ },
  ];
  for (const { name, limits: given, second, want } of limits)
    it(`keeps the limit ${name}, says so, and wakes the next when a slot becomes free (F22)`, () => {
      const { slots, granted, ask } = setUp(given);
      const first = job('first');
      expect(ask(first, first)).to.deep.equal(['granted', 'granted']);
      const next = job('second', second);
      const turn = slots.ask(next);
      expect(turn).to.have.property('message').that.matches(want);
      expect(granted).to.deep.equal([]);
      end(slots, first);
      expect(granted).to.deep.equal([keyOf(next)]);
      expect(ask(next)).to.deep.equal(['granted']);
    });

  it('serves the oldest job of a project first, past those whose bucket is full (F22)', () => {
    const { slots, granted, ask } = setUp({ inAll: 1, perBucket: 1 });
    const first = job('first', { bucket: 's3-z' });
    ask(first, job('young', { age: 10 }), job('old', { age: 50 }), job('middle', { age: 30 }));
    end(slots, first);
    expect(granted).to.deep.equal(['a/old']);
    slots.see({ kind: 'deleted', key: 'a/old', before: job('old') });
    slots.withdraw('a/middle');
    expect(granted).to.deep.equal(['a/old', 'a/middle', 'a/young']);
  });

  it('goes by the time of acceptance among jobs of the same second', () => {
    const { slots, granted, ask } = setUp({ inAll: 1 });
    const accepted = (name: string, ms: string) => ({
      ...job(name),
      metadata: {
        ...job(name).metadata,
        annotations: { 'zipjobs.dev/accepted-at': `2026-05-04T11:59:00.${ms}Z` },
      },
    });
    const first = job('first', { age: 90 });
    ask(first, accepted('a', '300'), accepted('b', '100'), accepted('c', '200'));
    end(slots, first);
    end(slots, accepted('b', '100'));
    expect(granted).to.deep.equal(['a/b', 'a/c']);
  });

  it('lets projects take turns, also when there are more of them than slots (F22)', () => {
    const { slots, granted, ask } = setUp({ inAll: 1 });
    const first = job('a0');
    ask(first, job('a1', { age: 59 }), job('a2', { age: 58 }), job('a3', { age: 57 }));
    ask(
      job('b1', { project: 'b', age: 9 }),
      job('b2', { project: 'b', age: 8 }),
      job('c1', { project: 'c', age: 1 }),
    );
    end(slots, first);
    while (granted.length < 6)
      end(slots, job(granted.at(-1)?.slice(2) ?? '', { project: granted.at(-1)?.[0] ?? '' }));
    expect(granted).to.deep.equal(['a/a1', 'b/b1', 'c/c1', 'a/a2', 'b/b2', 'a/a3']);
  });

  it('counts what runs already when it begins, and every job once', () => {
    const { slots, ask } = setUp({ inAll: 2 });
    const running = job('r', { status: { phase: 'Running' } });
    for (const before of [undefined, running])
      slots.see({ kind: 'set', key: keyOf(running), object: running, before });
    slots.hold(running);
    expect(ask(job('x'), job('y'))).to.deep.equal(['granted', 'waiting']);
  });

  it('leaves jobs alone that a trusted queue admits', () => {
    const { slots, ask } = setUp({ inAll: 1 });
    const elsewhere = { ...job('k'), spec: { ...job('k').spec, queueName: 'night' } };
    const object = { ...elsewhere, status: { phase: 'Starting' } as const };
    expect(ask(elsewhere)).to.deep.equal(['granted']);
    slots.see({ kind: 'set', key: keyOf(object), object, before: undefined });
    expect(ask(job('x'))).to.deep.equal(['granted']);
  });

  it('counts jobs of a queue that the operator does not trust as any other', () => {
    const { slots, ask } = setUp({ inAll: 1 });
    const unknown = { ...job('k'), spec: { ...job('k').spec, queueName: 'mine' } };
    expect(ask(unknown, job('x'))).to.deep.equal(['granted', 'waiting']);
    slots.withdraw(keyOf(unknown));
    slots.hold(unknown);
    expect(ask(job('y'))).to.deep.equal(['waiting']);
  });

  it('grants nothing while all is paused, also not to trusted queues, and goes on afterwards', () => {
    const { slots, granted, pause, ask } = setUp({ inAll: 1 });
    const running = job('r');
    slots.hold(running);
    expect(ask(job('before'))).to.deep.equal(['waiting']);
    pause.reason = 'incident 42';
    slots.withdraw(keyOf(running));
    const elsewhere = { ...job('k'), spec: { ...job('k').spec, queueName: 'night' } };
    for (const one of [job('new'), elsewhere])
      expect(slots.ask(one)).to.deep.equal({
        kind: 'waiting',
        reason: 'Paused',
        message: 'all jobs are paused: incident 42',
      });
    expect(granted).to.deep.equal([]);
    pause.reason = undefined;
    slots.refresh();
    expect(granted).to.deep.equal([keyOf(job('before'))]);
  });

  it('takes the slot of a job that was replaced by another of its name', () => {
    const { slots, granted, ask } = setUp({ inAll: 1 });
    const old = job('same');
    ask(old, job('other', { age: 1 }));
    const fresh = { ...old, metadata: { ...old.metadata, uid: 'another' } };
    slots.see({ kind: 'set', key: keyOf(old), object: fresh, before: old });
    expect(granted).to.deep.equal(['a/other']);
  });

  it('begins nothing while the limit is 0, and goes on when a project may run more', () => {
    let most = 0;
    const { slots, granted, ask } = setUp({ ofProject: () => most });
    expect(ask(job('one'))).to.deep.equal(['waiting']);
    most = 1;
    slots.refresh();
    expect(granted).to.deep.equal(['a/one']);
  });

  it('creates Jobs no faster than the rate, without being asked again', async () => {
    const { granted, clock, ask } = setUp({}, 2);
    expect(ask(job('1'), job('2'), job('3'), job('4'))).to.deep.equal([
      'granted',
      'granted',
      'waiting',
      'waiting',
    ]);
    await clock.advance(499);
    expect(granted).to.deep.equal([]);
    await clock.advance(2);
    expect(granted).to.deep.equal(['a/3']);
    await clock.advance(500);
    expect(granted).to.deep.equal(['a/3', 'a/4']);
    expect(clock.pending).to.equal(0);
  });
});

/** Numbers that look random and are the same in every run. */
const randomOf = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

interface Run {
  readonly key: string;
  readonly endsAt: number;
}

const SLOTS = 20;
const SIZES = [550, 50, 50, 50, 50, 50, 50, 50, 50, 50];

/** 1,000 jobs over ten projects, one of which asks for more than half and came first. Returns the end of each project. */
const drain = (seed: number): { readonly ends: ReadonlyMap<string, number>; readonly most: number } => {
  const random = randomOf(seed);
  let now = 0;
  let most = 0;
  let runs: Run[] = [];
  const jobs = new Map<string, ZipJob>();
  const begin = (key: string): void => {
    runs.push({ key, endsAt: now + 0.5 + random() });
    most = Math.max(most, runs.length);
  };
  const slots = createSlots({
    limits: { inAll: SLOTS, perBucket: 1000, ofProject: () => 1000 },
    trustedQueues: [],
    pause: { reason: undefined },
    rate: { perSecond: 1e6, burst: 1e6 },
    clock: createManualClock(),
    onGranted: begin,
  });
  for (const [index, size] of SIZES.entries())
    for (let n = 0; n < size; n += 1) {
      const one = job(`j${n}`, { project: `p${index}`, age: 10_000 - index * 600 - n });
      jobs.set(keyOf(one), one);
    }
  for (const [key, one] of jobs)
    if (slots.ask(one).kind === 'granted' && !runs.some((run) => run.key === key)) begin(key);
  const ends = new Map<string, number>();
  while (runs.length > 0) {
    const first = runs.reduce((a, b) => (b.endsAt < a.endsAt ? b : a));
    runs = runs.filter((run) => run !== first);
    now = first.endsAt;
    const one = jobs.get(first.key);
    jobs.delete(first.key);
    ends.set(first.key.slice(0, 2), now);
    if (one) end(slots, one);
  }
  expect(jobs.size).to.equal(0);
  return { ends, most };
};

describe('slots, under load', () => {
  for (const seed of [1, 2, 3])
    it(`lets no project wait more than twice its fair share: 1,000 jobs, 10 projects, 20 slots, seed ${seed} (F22)`, () => {
      const { ends, most } = drain(seed);
      expect(most).to.equal(SLOTS);
      // With two slots each, the small projects need 50 / 2 runs of a second; the big one takes what is left.
      for (const project of SIZES.keys()) {
        const fair = project === 0 ? 1000 / SLOTS : 50 / (SLOTS / SIZES.length);
        expect(ends.get(`p${project}`), `p${project}`).to.be.lessThan(2 * fair);
      }
    });

  it('decides for ten thousand waiting jobs in no time', () => {
    const { slots, ask } = setUp({ inAll: 10 });
    const jobs = Array.from({ length: 10_000 }, (_, n) => job(`j${n}`, { project: `p${n % 50}`, age: n }));
    const started = performance.now();
    ask(...jobs);
    for (const one of jobs) end(slots, one);
    expect(performance.now() - started).to.be.lessThan(2000);
  });
});
