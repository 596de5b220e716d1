/** The plan of a schedule, which depends only on its seed. */

import { createRandom, type Random } from '#test/support/random.ts';
import type { PlannedFault, ProcessName } from './planned-fault.ts';
import {
  planDatabaseAway,
  planFault,
  planHang,
  planNodeClock,
  planRotation,
  planServerFault,
  planStops,
  planStoreAway,
} from './planned-fault.ts';
import { RESUMING_VARIANTS } from './resuming-files.ts';

/**
 * ordinary: two files. slow: takes about two seconds. missing: its second source returns 404. cancelled: is
 * cancelled while it runs. deleted: its ZipJob is deleted while it runs. replacing: another object is already
 * at its key.
 */
const JOB_KINDS = ['ordinary', 'slow', 'slow', 'missing', 'cancelled', 'deleted', 'replacing'] as const;
/** resuming: several large files, in ten seconds; see resuming-files.ts. */
export type JobKind = (typeof JOB_KINDS)[number] | 'resuming';

export interface PlannedJob {
  readonly kind: JobKind;
  /** Delay before the POST. */
  readonly postAfterMs: number;
  /** Size of each file. Without meaning for `resuming`. */
  readonly bytes: number;
  /** Of `resuming`: which files it has. */
  readonly variant?: number;
  /** For `cancelled` and `deleted`: delay after the POST. */
  readonly stopAfterMs: number;
  /** Writes the same key as the other jobs of the schedule with this flag. */
  readonly sharesKey: boolean;
}

export interface Plan {
  readonly seed: number;
  readonly jobs: readonly PlannedJob[];
  readonly faults: readonly PlannedFault[];
}

const MAX_FIRST_JOBS = 4;

function planFirstJob(random: Random): PlannedJob {
  const kind = random.pick(JOB_KINDS);
  return {
    kind,
    postAfterMs: 0,
    bytes: random.pick([100, 70_000, 3_000_000]),
    stopAfterMs: random.int(0, 3_000),
    // The object at the key of a deleted job is undefined.
    sharesKey: random.next() < 0.4 && kind !== 'deleted' && kind !== 'replacing',
  };
}

/** Total number of jobs of a schedule. */
const JOBS = 20;
const POSTS_MS = 5_000;
/** Jobs with one key run one after another, so many of them would make a schedule long. */
const SHARED_KEY_RATE = 0.1;

function planNextJob(random: Random): PlannedJob {
  const kind = random.pick(JOB_KINDS);
  return {
    kind,
    postAfterMs: random.int(0, POSTS_MS),
    bytes: random.pick([100, 70_000]),
    stopAfterMs: random.int(0, 3_000),
    sharesKey: random.next() < SHARED_KEY_RATE && kind !== 'deleted' && kind !== 'replacing',
  };
}

/** The first jobs and faults of a seed were planned before the others, which are drawn separately to keep them the same. */
function planNextJobs(seed: number, first: number): readonly PlannedJob[] {
  const random = createRandom(seed ^ 0x5eed_0b5);
  return Array.from({ length: JOBS - first }, () => planNextJob(random));
}

const ROTATION_RATE = 0.3;
const NODE_CLOCK_RATE = 0.15;
const STORE_AWAY_RATE = 0.03;
const HANG_RATE = 0.2;

function planExtras(seed: number): readonly PlannedFault[] {
  const random = createRandom(~seed);
  return [
    ...(random.next() < ROTATION_RATE ? [planRotation(random)] : []),
    ...(random.next() < NODE_CLOCK_RATE ? [planNodeClock(random)] : []),
    ...(random.next() < STORE_AWAY_RATE ? [planStoreAway(random)] : []),
    ...(random.next() < HANG_RATE ? [planHang(random)] : []),
  ];
}

const SERVER_FAULT_RATE = 0.6;

/** Drawn separately, too. */
function planServerFaults(seed: number): readonly PlannedFault[] {
  const random = createRandom(seed ^ 0x5e_7e75);
  return random.next() < SERVER_FAULT_RATE ? [planServerFault(random)] : [];
}

const RESUMING_JOBS = 3;
const STOP_RATE = 0.5;

function planResumingJob(random: Random): PlannedJob {
  return {
    kind: 'resuming',
    postAfterMs: random.int(0, POSTS_MS),
    bytes: 0,
    variant: random.int(0, RESUMING_VARIANTS - 1),
    stopAfterMs: 0,
    sharesKey: false,
  };
}

/** Drawn separately, too. In half of the schedules, their zippers are stopped and killed. */
function planResuming(seed: number): Pick<Plan, 'jobs' | 'faults'> {
  const random = createRandom(seed ^ 0x2e_5005);
  return {
    jobs: Array.from({ length: RESUMING_JOBS }, () => planResumingJob(random)),
    faults: random.next() < STOP_RATE ? [planStops(random)] : [],
  };
}

export function planOf(seed: number): Plan {
  const random = createRandom(seed);
  const first = Array.from({ length: random.int(1, MAX_FIRST_JOBS) }, () => planFirstJob(random));
  const resuming = planResuming(seed);
  return {
    seed,
    jobs: [...first, ...planNextJobs(seed, first.length + RESUMING_JOBS), ...resuming.jobs],
    faults: [
      ...resuming.faults,
      ...Array.from({ length: random.int(2, 4) }, () => planFault(random)),
      ...planExtras(seed),
      ...planServerFaults(seed),
    ],
  };
}

/** The jobs of a seed, a database that is away while they finish, a kill of the controller in that time, and one more fault. */
export function planDatabaseOutage(seed: number, ms: number): Plan {
  const random = createRandom(seed ^ 0xda7a);
  return {
    ...planOf(seed),
    faults: [
      planDatabaseAway(random, ms),
      { kind: 'kill', who: 'controller', nthWrite: random.int(20, 120) },
      planFault(random),
    ],
  };
}

const ONE_JOB: PlannedJob = {
  kind: 'ordinary',
  postAfterMs: 0,
  bytes: 3_000_000,
  stopAfterMs: 0,
  sharesKey: false,
};

/**
 * One job of two parts, and one kill after the n-th of its writes to the API server, or of the zipper's
 * writes to the store.
 */
export function planKill(who: ProcessName | 'store', nthWrite: number): Plan {
  return {
    seed: nthWrite,
    jobs: [ONE_JOB],
    faults: [who === 'store' ? { kind: 'store-kill', nthWrite } : { kind: 'kill', who, nthWrite }],
  };
}

/** Some slow jobs, and these faults. */
export function planOfFaults(jobs: number, faults: readonly PlannedFault[]): Plan {
  return {
    seed: 0,
    jobs: Array.from({ length: jobs }, () => ({ ...ONE_JOB, kind: 'slow', bytes: 70_000 })),
    faults,
  };
}

/** The same jobs, posted one after another. */
function postedEvery(plan: Plan, ms: number): Plan {
  return {
    ...plan,
    jobs: plan.jobs.map((job, index) => ({ ...job, postAfterMs: index * ms })),
  };
}

/** Jobs of several parts each, and a store that is away half of the time. */
export function planBlips(jobs: number, ms: number): Plan {
  const every = { ms, upMs: ms, times: jobs };
  const plan = planOfFaults(jobs, [{ kind: 'store-blips', afterMs: 0, ...every }]);
  return postedEvery({ ...plan, jobs: plan.jobs.map((job) => ({ ...job, bytes: 12_000_000 })) }, 2 * ms);
}

interface Restarts {
  readonly times: number;
  /** Time between the end of a restart and the next one. */
  readonly upMs: number;
  /** Time between two POSTs. */
  readonly postEveryMs: number;
}

/** Many small jobs, and an API server that restarts, every other time after a compaction of etcd. */
export function planRestarts(jobs: number, { times, upMs, postEveryMs }: Restarts): Plan {
  const plan = planOfFaults(jobs, [
    { kind: 'restart-api-server', afterMs: 1_000, compacts: false, again: { times, upMs } },
  ]);
  return postedEvery(plan, postEveryMs);
}
