/** The faults that a schedule may contain. */
import type { Random } from '#test/support/random.ts';
import type { Absence } from './archive-database.ts';

export const PROCESSES = ['api', 'controller', 'zipper'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** Returns errors at this rate for this time. */
interface AtARate {
  readonly rate: number;
  readonly seed: number;
  readonly ms: number;
}

/** What happens to the open watches of the controller during this time. */
export const WATCH_FAULTS = [
  'stall-watches',
  'hold-watches',
  'cut-watches',
  'merge-events',
  'reorder-events',
  'lose-deletes',
  'lose-events',
] as const;

export type WatchFault =
  | {
      readonly kind: Exclude<(typeof WATCH_FAULTS)[number], 'lose-events'>;
      readonly afterMs: number;
      readonly ms: number;
    }
  | ({ readonly kind: 'lose-events'; readonly afterMs: number } & AtARate);

/** A store or an API server that runs, and behaves as servers of the real world do. */
const SERVER_FAULTS = [
  'store-blips',
  'store-assembles',
  'api-server-starts',
  'api-servers-disagree',
] as const;

export type ServerFault =
  /** The store refuses every request for `ms`, several times. */
  | {
      readonly kind: 'store-blips';
      readonly afterMs: number;
      readonly ms: number;
      readonly upMs: number;
      readonly times: number;
    }
  /**
   * A Complete takes this long. Meanwhile its upload is gone, and the object does not show. As versitygw, NooBaa and Ceph do.
   */
  | { readonly kind: 'store-assembles'; readonly afterMs: number; readonly assemblyMs: number }
  /**
   * An API server that has just started refuses everything because it does not know the roles yet (403), or does not serve our
   * resources yet (404).
   */
  | {
      readonly kind: 'api-server-starts';
      readonly afterMs: number;
      readonly status: 403 | 404;
      readonly ms: number;
    }
  /** One of three API servers has a clock that is ahead by this much. */
  | { readonly kind: 'api-servers-disagree'; readonly afterMs: number; readonly aheadMs: number };

export const CLUSTER_FAULTS = [
  'restart-api-server',
  'lose-node',
  'store-away',
  'node-clock',
  'database-away',
  ...SERVER_FAULTS,
] as const;

/** What happens to the API server, the node, the store or the history database, which all processes share. */
export type ClusterFault =
  | {
      readonly kind: 'restart-api-server';
      readonly afterMs: number;
      /** After a compaction of etcd. */
      readonly compacts: boolean;
      /** Total restarts and the time between them; every other one compacts. Once when absent. */
      readonly again?: { readonly times: number; readonly upMs: number };
    }
  | { readonly kind: 'lose-node'; readonly afterMs: number; readonly ms: number }
  /** Every request to the store is refused during this time. */
  | {
      readonly kind: 'store-away';
      readonly afterMs: number;
      /** It starts with the next CompleteMultipartUpload, which is executed without a response. */
      readonly atComplete: boolean;
      readonly ms: number;
    }
  /** The clock of the node is ahead by this much, or behind if negative, until the end of the schedule. */
  | { readonly kind: 'node-clock'; readonly afterMs: number; readonly aheadMs: number }
  /** Only in worlds with a history database. */
  | { readonly kind: 'database-away'; readonly afterMs: number; readonly how: Absence; readonly ms: number }
  | ServerFault;

/**
 * Ends zippers of `resuming` jobs, each after it has run for some time: half of them by SIGKILL, the others like a drain, by the
 * deletion of their pod.
 */
export interface StopZippers {
  readonly kind: 'stop-zippers';
  readonly afterMs: number;
  readonly times: number;
  readonly seed: number;
}

/** Happens at a certain time. */
export type TimedFault =
  | WatchFault
  | { readonly kind: 'old-list' | 'rotate-secret' | 'delete-bucket'; readonly afterMs: number }
  | { readonly kind: 'pause-leader'; readonly afterMs: number; readonly ms: number }
  | ClusterFault
  | StopZippers
  | {
      readonly kind: 'delete-pod' | 'kill-zipper' | 'delete-job';
      readonly afterMs: number;
      /** Index into the pods that run at that time, modulo their number. */
      readonly pick: number;
    };

export type PlannedFault =
  | TimedFault
  /**
   * The n-th write: its sender is killed; its response is lost; it is executed after its sender timed out.
   */
  | { readonly kind: 'kill' | 'drop' | 'late'; readonly who: ProcessName; readonly nthWrite: number }
  | ({ readonly kind: 'errors'; readonly who: ProcessName; readonly status: number } & AtARate)
  | { readonly kind: 'slow-api-server'; readonly who: ProcessName; readonly ms: number }
  | { readonly kind: 'store-drop' | 'store-kill'; readonly nthWrite: number }
  /** The zipper that writes the n-th result hangs after it: its pod never exits by itself. */
  | { readonly kind: 'hang'; readonly nthWrite: number }
  | ({
      readonly kind: 'store-errors' | 'receiver-errors' | 'source-errors';
      readonly status: number;
    } & AtARate)
  /** Source, store, receiver and API server all return errors. */
  | ({ readonly kind: 'flap' } & AtARate);

function rate(random: Random): AtARate {
  return {
    rate: random.pick([0.1, 0.3, 0.6]),
    seed: random.int(1, 1_000_000),
    ms: random.int(1_000, 5_000),
  };
}

function errors(random: Random, statuses: readonly number[]) {
  return {
    status: random.pick(statuses),
    ...rate(random),
  };
}

function writes(random: Random) {
  return { who: random.pick(PROCESSES), nthWrite: random.int(1, 12) };
}

function soon(random: Random) {
  return { afterMs: random.int(0, 2_500) };
}

function aWhile(random: Random) {
  return { ...soon(random), ms: random.int(500, 4_000) };
}

function onAPod(random: Random) {
  return { ...soon(random), pick: random.int(0, 5) };
}

const FAULTS: readonly ((random: Random) => PlannedFault)[] = [
  (random) => ({ kind: 'kill', ...writes(random) }),
  (random) => ({ kind: 'kill', ...writes(random) }),
  (random) => ({ kind: 'drop', ...writes(random) }),
  (random) => ({ kind: 'late', ...writes(random) }),
  (random) => ({ kind: 'errors', who: random.pick(PROCESSES), ...errors(random, [409, 410, 429, 500, 504]) }),
  (random) => ({ kind: 'errors', who: random.pick(PROCESSES), ...errors(random, [409, 410, 429, 500, 504]) }),
  (random) => ({ kind: 'slow-api-server', who: random.pick(PROCESSES), ms: random.int(20, 300) }),
  (random) => ({ kind: 'stall-watches', ...aWhile(random) }),
  (random) => ({ kind: 'hold-watches', ...aWhile(random) }),
  (random) => ({ kind: 'cut-watches', ...soon(random), ms: 0 }),
  (random) => ({ kind: 'merge-events', ...aWhile(random) }),
  (random) => ({ kind: 'reorder-events', ...aWhile(random) }),
  (random) => ({ kind: 'lose-events', ...soon(random), ...rate(random) }),
  (random) => ({ kind: 'lose-deletes', ...aWhile(random) }),
  (random) => ({ kind: 'old-list', ...soon(random) }),
  (random) => ({ kind: 'pause-leader', ...soon(random), ms: random.int(8_000, 18_000) }),
  (random) => ({ kind: 'restart-api-server', ...soon(random), compacts: random.next() < 0.5 }),
  (random) => ({ kind: 'lose-node', ...soon(random), ms: random.int(1_000, 6_000) }),
  // Draws one number more than it needs, so that older seeds still produce the same plans.
  (random) => ({ kind: 'delete-bucket', afterMs: aWhile(random).afterMs }),
  (random) => ({ kind: 'delete-pod', ...onAPod(random) }),
  (random) => ({ kind: 'kill-zipper', ...onAPod(random) }),
  (random) => ({ kind: 'delete-job', ...onAPod(random) }),
  (random) => ({ kind: 'store-drop', nthWrite: random.int(1, 8) }),
  (random) => ({ kind: 'store-kill', nthWrite: random.int(1, 8) }),
  (random) => ({ kind: 'store-errors', ...errors(random, [500, 503]) }),
  (random) => ({ kind: 'receiver-errors', ...errors(random, [429, 500, 503]) }),
  (random) => ({ kind: 'source-errors', ...errors(random, [429, 500, 503]) }),
  (random) => ({ kind: 'flap', ...rate(random), rate: 0.1 }),
];

/** The project gets a new webhook secret in addition to the old one. */
export function planRotation(random: Random): PlannedFault {
  return {
    kind: 'rotate-secret',
    afterMs: random.int(0, 5_000),
  };
}

export function planStops(random: Random): PlannedFault {
  return {
    kind: 'stop-zippers',
    afterMs: 0,
    times: random.int(7, 12),
    seed: random.int(1, 1_000_000),
  };
}

/** Some results: their pods hang. */
export function planHang(random: Random): PlannedFault {
  return { kind: 'hang', nthWrite: random.int(1, 6) };
}

const HOUR_MS = 3_600_000;

export function planNodeClock(random: Random): PlannedFault {
  return {
    kind: 'node-clock',
    ...soon(random),
    aheadMs: random.pick([HOUR_MS, -HOUR_MS]),
  };
}

/** Stands for 30 minutes: longer than one recovery Job tries, with its RECOVERY_DEADLINE_SECONDS of quick-values.ts. */
export const STORE_AWAY_MS = 120_000;

export function planStoreAway(random: Random): PlannedFault {
  return {
    kind: 'store-away',
    afterMs: random.int(0, 8_000),
    atComplete: random.next() < 0.5,
    ms: STORE_AWAY_MS,
  };
}

const MINUTE_MS = 60_000;
const SERVER_FAULT_PLANS: readonly ((random: Random) => ServerFault)[] = [
  (random) => ({
    kind: 'store-blips',
    ...soon(random),
    ms: random.pick([200, 1_000, 5_000, 30_000]),
    upMs: random.int(500, 5_000),
    times: random.int(1, 3),
  }),
  // Less than STORE_CONSISTENCY_MS of quick-values.ts, after which a small archive has to show.
  (random) => ({ kind: 'store-assembles', ...soon(random), assemblyMs: random.int(100, 500) }),
  (random) => ({
    kind: 'api-server-starts',
    ...soon(random),
    status: random.pick([403, 404]),
    ms: random.int(200, 5_000),
  }),
  (random) => ({
    kind: 'api-servers-disagree',
    ...soon(random),
    aheadMs: random.pick([11, -11]) * MINUTE_MS,
  }),
];

export function planServerFault(random: Random): PlannedFault {
  return random.pick(SERVER_FAULT_PLANS)(random);
}

export function planDatabaseAway(random: Random, ms: number): PlannedFault {
  return {
    kind: 'database-away',
    afterMs: random.int(0, 8_000),
    how: random.pick(['crash', 'freeze']),
    ms,
  };
}

export function planFault(random: Random): PlannedFault {
  return random.pick(FAULTS)(random);
}
