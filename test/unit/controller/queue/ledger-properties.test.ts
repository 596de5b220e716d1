/** Random orders of the ledger's inputs: no limit is ever exceeded, and no job waits forever. */
import { expect } from 'chai';
import { createLedger, type Ledger, type Position } from '#controller/queue/ledger.ts';
import { mostInAll } from '#controller/queue/queue-order.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { createRandom, type Random } from '#test/support/random.ts';

const RUNS = 100;
const MOVES = 250;
const JOBS = 40;

function jobsOf(random: Random): readonly ZipJob[] {
  return Array.from({ length: JOBS }, (_, n) =>
    aZipJob({
      metadata: {
        name: `j${n}`,
        namespace: `p${random.int(0, 2)}`,
        uid: `uid-${n}`,
        creationTimestamp: ago(random.int(0, 500)),
      },
      spec: {
        bucketRef: { name: `b${random.int(0, 1)}` },
        key: `k${random.int(0, 5)}`,
        ...(random.next() < 0.1 && { queueName: 'night' }),
      },
    }),
  );
}

type State = Position['state'];

function setUp(random: Random) {
  const jobs = new Map(jobsOf(random).map((job) => [objectKey(job), job]));
  const limits = { inAll: random.int(0, 6), perBucket: random.int(1, 3), perProject: random.int(1, 4) };
  const pause: { reason: string | undefined } = { reason: undefined };
  const clock = createManualClock();
  const woken = new Set<string>();
  const places = new Map<string, string>();
  const ledger = createLedger({
    limits: { ...limits, ofProject: () => limits.perProject, isHeld: () => false },
    trustedQueues: ['night'],
    pause,
    rate: { perSecond: 50, burst: 3 },
    clock,
    physicalBucket: (bucket) => places.get(bucket),
    onReserved: (key) => {
      woken.add(key);
    },
    onNext: () => undefined,
  });
  function stateOf(job: ZipJob): State {
    return ledger.position(job).state;
  }
  return { jobs, limits, pause, clock, woken, places, ledger, stateOf };
}

type World = ReturnType<typeof setUp>;

function countBy(jobs: readonly ZipJob[], nameOf: (job: ZipJob) => string): readonly number[] {
  const counts = new Map<string, number>();
  for (const job of jobs) counts.set(nameOf(job), (counts.get(nameOf(job)) ?? 0) + 1);
  return [...counts.values()];
}

function isActive({ stateOf }: World, job: ZipJob): boolean {
  return ['reserved', 'running'].includes(stateOf(job));
}

/** What the jobs write. An active job writes what it wrote when it started, unless that becomes known only now. */
class Targets {
  readonly #world: World;
  readonly #ofActive = new Map<ZipJob, string>();

  constructor(world: World) {
    this.#world = world;
  }

  #now({ metadata: { namespace }, spec }: ZipJob): string {
    const bucket = `${namespace}/${spec.bucketRef.name}`;
    return `${namespace}: ${this.#world.places.get(bucket) ?? `?${bucket}`}/${spec.key}`;
  }

  /** A job that becomes active is the only one of its object in its project. */
  expectOnePerKey(): void {
    const active = [...this.#world.jobs.values()].filter((job) => isActive(this.#world, job));
    const started = active.filter((job) => !this.#ofActive.has(job));
    for (const job of this.#ofActive.keys()) if (!active.includes(job)) this.#ofActive.delete(job);
    for (const job of active)
      if (this.#ofActive.get(job)?.includes('?') !== false) this.#ofActive.set(job, this.#now(job));
    for (const job of started) {
      const target = this.#ofActive.get(job);
      const others = active.filter((other) => other !== job && this.#ofActive.get(other) === target);
      expect(others.map(objectKey), `writers of ${target} beside ${objectKey(job)}`).to.deep.equal([]);
    }
  }
}

/** A running job had a reservation before, so the limits apply to both together. */
function expectLimits(world: World): void {
  const { jobs, limits } = world;
  const active = [...jobs.values()].filter((job) => isActive(world, job));
  const limited = active.filter(({ spec }) => spec.queueName === undefined);
  expect(limited.length, 'in all').to.be.at.most(mostInAll(limits));
  const perBucket = countBy(limited, ({ metadata, spec }) => `${metadata.namespace}/${spec.bucketRef.name}`);
  expect(Math.max(0, ...perBucket), 'per bucket').to.be.at.most(limits.perBucket);
  const perProject = countBy(limited, ({ metadata }) => metadata.namespace);
  expect(Math.max(0, ...perProject), 'per project').to.be.at.most(limits.perProject);
}

function seen(ledger: Ledger, object: ZipJob): void {
  ledger.see({ kind: 'set', key: objectKey(object), object, before: undefined });
}

type Move = (world: World, job: ZipJob) => void | Promise<void>;

/** The inputs from act, the caches and operators. Only a job with a reservation gets a Job, as in `act`. */
const MOVES_OF_ALL: Readonly<Record<string, Move>> = {
  reserve: ({ ledger, pause }, job) => {
    const { state, blocked } = ledger.reserve(job);
    expect(state).to.not.equal('none');
    if (state === 'waiting' || pause.reason !== undefined) expect(blocked).to.not.equal(undefined);
    else expect(blocked).to.equal(undefined);
  },
  release: ({ ledger, stateOf }, job) => {
    if (stateOf(job) !== 'running') ledger.release(objectKey(job));
  },
  'create the Job': ({ ledger, stateOf }, job) => {
    if (stateOf(job) === 'reserved') ledger.hold(job);
  },
  'see the job start': ({ ledger, stateOf }, job) => {
    if (stateOf(job) === 'running') seen(ledger, { ...job, status: { phase: 'Starting' } });
  },
  'see the job queued': ({ ledger }, job) => {
    seen(ledger, { ...job, status: { phase: 'Queued' } });
  },
  'see the job finish': ({ ledger }, job) => {
    seen(ledger, { ...job, status: { phase: 'Failed' } });
  },
  'see the job deleted': ({ ledger }, job) => {
    ledger.see({ kind: 'deleted', key: objectKey(job), before: job });
  },
  'see another of this name': ({ ledger, jobs, stateOf }, job) => {
    const uid = `${job.metadata.uid}+`;
    const other = { ...job, metadata: { ...job.metadata, uid } };
    jobs.set(objectKey(job), other);
    seen(ledger, other);
    expect(stateOf(other)).to.equal('none');
  },
  pause: ({ pause }) => {
    pause.reason = 'incident';
  },
  resume: ({ pause, ledger }) => {
    pause.reason = undefined;
    ledger.refresh();
  },
  'see the bucket become known, change or go': ({ ledger, places }, { metadata, spec }) => {
    const bucket = `${metadata.namespace}/${spec.bucketRef.name}`;
    const next = { undefined: 'store/x', 'store/x': 'store/y', 'store/y': undefined }[
      String(places.get(bucket))
    ];
    if (next === undefined) places.delete(bucket);
    else places.set(bucket, next);
    ledger.seeBucket(bucket);
  },
  'let time pass': ({ clock }) => clock.advance(30),
};

async function play(seed: number): Promise<World> {
  const random = createRandom(seed);
  const world = setUp(random);
  const targets = new Targets(world);
  const done: string[] = [];
  try {
    for (let move = 0; move < MOVES; move += 1) {
      // Half of the steps are requests, so that the limits are reached.
      const name = random.next() < 0.5 ? 'reserve' : random.pick(Object.keys(MOVES_OF_ALL));
      const job = random.pick([...world.jobs.values()]);
      done.push(`${name} ${objectKey(job)}`);
      await MOVES_OF_ALL[name]?.(world, job);
      expectLimits(world);
      targets.expectOnePerKey();
    }
  } catch (error) {
    throw new Error(`seed ${seed}: ${done.join('; ')}`, { cause: error });
  }
  return world;
}

/** Ends every active job and advances the clock for the rate. Returns the jobs that still wait. */
async function drain(world: World): Promise<readonly string[]> {
  const { jobs, pause, ledger, clock, stateOf } = world;
  pause.reason = undefined;
  ledger.refresh();
  // Jobs that request nothing keep their place in the queue of their key.
  for (const job of jobs.values()) if (stateOf(job) !== 'running') ledger.reserve(job);
  for (let rounds = 0; rounds < 2 * JOBS; rounds += 1) {
    for (const job of jobs.values())
      if (stateOf(job) === 'reserved' || stateOf(job) === 'running')
        seen(ledger, { ...job, status: { phase: 'Succeeded' } });
    await clock.advance(100);
    expectLimits(world);
  }
  return [...jobs.values()].filter((job) => stateOf(job) !== 'none').map(objectKey);
}

describe('the ledger in any order of events', () => {
  it(`never exceeds a limit, and finally reserves for every waiting job: ${RUNS} seeds (F22)`, async function () {
    this.timeout(120_000);
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const world = await play(seed);
      const left = await drain(world);
      if (world.limits.inAll > 0) expect(left, `seed ${seed}`).to.deep.equal([]);
    }
  });
});
