/** What a schedule does, decided by its seed alone. */
import { createRandom, type Random } from './random.ts';

export const PROCESSES = ['api', 'controller', 'zipper'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/**
 * good: two files. slow: takes about two seconds. missing: its second source answers 404. cancelled: asked to stop on the way.
 * replacing: another object stands at its key already.
 */
const JOB_KINDS = ['good', 'slow', 'slow', 'missing', 'cancelled', 'replacing'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export interface PlannedJob {
  readonly kind: JobKind;
  /** Of each file. */
  readonly bytes: number;
  /** For `cancelled`: after the POST. */
  readonly cancelAfterMs: number;
}

/** Happens at a certain time. */
export type TimedFault =
  | {
      readonly kind: 'stall-watches' | 'hold-watches' | 'cut-watches';
      readonly afterMs: number;
      readonly ms: number;
    }
  | { readonly kind: 'old-list'; readonly afterMs: number }
  | { readonly kind: 'pause-leader'; readonly afterMs: number; readonly ms: number }
  | {
      readonly kind: 'delete-pod' | 'kill-zipper' | 'delete-job';
      readonly afterMs: number;
      /** Which of the pods that run then, counted around. */
      readonly pick: number;
    };

export type PlannedFault =
  | TimedFault
  | { readonly kind: 'kill' | 'drop'; readonly who: ProcessName; readonly nthWrite: number }
  | {
      readonly kind: 'errors';
      readonly who: ProcessName;
      readonly status: number;
      readonly rate: number;
      readonly seed: number;
      readonly ms: number;
    }
  | { readonly kind: 'slow-api-server'; readonly who: ProcessName; readonly ms: number }
  | { readonly kind: 'store-drop' | 'store-kill'; readonly nthWrite: number }
  | {
      readonly kind: 'store-errors' | 'receiver-errors';
      readonly status: number;
      readonly rate: number;
      readonly seed: number;
      readonly ms: number;
    };

export interface Plan {
  readonly seed: number;
  readonly jobs: readonly PlannedJob[];
  readonly faults: readonly PlannedFault[];
}

const MAX_JOBS = 3;

const planJob = (random: Random): PlannedJob => ({
  kind: random.pick(JOB_KINDS),
  bytes: random.pick([100, 70_000, 3_000_000]),
  cancelAfterMs: random.int(0, 3_000),
});

const errors = (random: Random, statuses: readonly number[]) => ({
  status: random.pick(statuses),
  rate: random.pick([0.1, 0.3, 0.6]),
  seed: random.int(1, 1_000_000),
  ms: random.int(1_000, 5_000),
});

const writes = (random: Random) => ({ who: random.pick(PROCESSES), nthWrite: random.int(1, 12) });
const soon = (random: Random) => ({ afterMs: random.int(0, 2_500) });
const onAPod = (random: Random) => ({ ...soon(random), pick: random.int(0, 5) });

const FAULTS: readonly ((random: Random) => PlannedFault)[] = [
  (random) => ({ kind: 'kill', ...writes(random) }),
  (random) => ({ kind: 'drop', ...writes(random) }),
  (random) => ({ kind: 'errors', who: random.pick(PROCESSES), ...errors(random, [409, 410, 429, 500, 504]) }),
  (random) => ({ kind: 'slow-api-server', who: random.pick(PROCESSES), ms: random.int(20, 300) }),
  (random) => ({ kind: 'stall-watches', ...soon(random), ms: random.int(500, 4_000) }),
  (random) => ({ kind: 'hold-watches', ...soon(random), ms: random.int(500, 4_000) }),
  (random) => ({ kind: 'cut-watches', ...soon(random), ms: 0 }),
  (random) => ({ kind: 'old-list', ...soon(random) }),
  (random) => ({ kind: 'pause-leader', ...soon(random), ms: random.int(3_000, 6_000) }),
  (random) => ({ kind: 'delete-pod', ...onAPod(random) }),
  (random) => ({ kind: 'kill-zipper', ...onAPod(random) }),
  (random) => ({ kind: 'delete-job', ...onAPod(random) }),
  (random) => ({ kind: 'store-drop', nthWrite: random.int(1, 8) }),
  (random) => ({ kind: 'store-kill', nthWrite: random.int(1, 8) }),
  (random) => ({ kind: 'store-errors', ...errors(random, [500, 503]) }),
  (random) => ({ kind: 'receiver-errors', ...errors(random, [429, 500, 503]) }),
];

export const planOf = (seed: number): Plan => {
  const random = createRandom(seed);
  return {
    seed,
    jobs: Array.from({ length: random.int(1, MAX_JOBS) }, () => planJob(random)),
    faults: Array.from({ length: random.int(2, 4) }, () => random.pick(FAULTS)(random)),
  };
};

/** One job of two parts, and one kill. */
export const planKill = (who: ProcessName, nthWrite: number): Plan => ({
  seed: nthWrite,
  jobs: [{ kind: 'good', bytes: 3_000_000, cancelAfterMs: 0 }],
  faults: [{ kind: 'kill', who, nthWrite }],
});
