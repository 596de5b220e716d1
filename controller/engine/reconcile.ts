import type { Clock } from '#runtime/clock.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import { measureReconcile, type ReconcileMeasure, type ReconcileOutcome } from './measure-reconcile.ts';
import type { WorkQueue } from './work-queue.ts';

/** An object usually needs few rounds; after this many, other keys go first. */
const MAX_ROUNDS = 10;

/** Long enough for the watch to deliver the conflicting version. */
const AFTER_CONFLICT_MS = 200;

/** How the actions of a round ended. */
export type Outcome<Hints extends object> =
  | { readonly kind: 'done' }
  /** The object no longer exists. */
  | { readonly kind: 'gone' }
  /** Something changed: observe again at once, with what the caches may not have yet. */
  | { readonly kind: 'again'; readonly hints: Hints }
  /** The caches are behind: observe again when they had time to catch up. */
  | { readonly kind: 'conflict' };

export interface Requeue {
  /** If nothing changes. */
  readonly requeueAfterMs?: number;
}

/** The one shape of every controller. */
export interface ReconcileOptions<Seen, Decision extends Requeue, Hints extends object> {
  readonly controller: ReconcileMeasure['controller'];
  /** Reads only. Undefined if the object does not exist. */
  readonly observe: (key: ObjectKey, hints: Partial<Hints>) => Promise<Seen | undefined>;
  /** Pure. */
  readonly decide: (seen: Seen, now: Date) => Decision;
  /** The only part that changes anything. */
  readonly act: (seen: Seen, decision: Decision) => Promise<Outcome<Hints>>;
  /** Forgets what this process knows of an object that does not exist. */
  readonly onGone: (key: ObjectKey) => void;
  readonly queue: Pick<WorkQueue, 'add' | 'addAfter' | 'forget'>;
  readonly fullReconcileMs: number;
  readonly clock: Pick<Clock, 'date' | 'monotonicMs'>;
  readonly metrics: ReconcileMeasure['metrics'];
}

export type Reconcile = (key: ObjectKey, signal: AbortSignal) => Promise<void>;

type Resting = Pick<ReconcileOptions<unknown, Requeue, object>, 'queue' | 'fullReconcileMs'>;

const rest = (
  { queue, fullReconcileMs }: Resting,
  key: ObjectKey,
  afterMs: number | undefined,
): ReconcileOutcome => {
  queue.forget(key);
  // The full pass comes before a longer wait is over: ten thousand finished jobs need no timer each, and none runs for days.
  if (afterMs === undefined || afterMs > fullReconcileMs) return 'success';
  queue.addAfter(key, afterMs);
  return 'requeue_after';
};

const rounds = async <Seen, Decision extends Requeue, Hints extends object>(
  options: ReconcileOptions<Seen, Decision, Hints>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<ReconcileOutcome> => {
  let hints: Partial<Hints> = {};
  for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round += 1) {
    const seen = await options.observe(key, hints);
    if (!seen) {
      options.onGone(key);
      return rest(options, key, undefined);
    }
    const decision = options.decide(seen, options.clock.date());
    const outcome = await options.act(seen, decision);
    if (outcome.kind === 'gone') return rest(options, key, undefined);
    if (outcome.kind === 'done') return rest(options, key, decision.requeueAfterMs);
    if (outcome.kind === 'conflict') return rest(options, key, AFTER_CONFLICT_MS);
    hints = { ...hints, ...outcome.hints };
  }
  options.queue.add(key);
  return 'requeue';
};

/** For actions on cached objects: one that changed or was deleted since is no failure. */
export const tolerateChanges = async <Hints extends object>(
  actions: () => Promise<Outcome<Hints>>,
): Promise<Outcome<Hints>> => {
  try {
    return await actions();
  } catch (error) {
    if (isKubeError(error, 'Conflict')) return { kind: 'conflict' };
    if (isKubeError(error, 'NotFound', 'NamespaceTerminating')) return { kind: 'done' };
    throw error;
  }
};

/** Reconciles one object: observe, decide, act, and again while something changes. */
export const createReconcile =
  <Seen, Decision extends Requeue, Hints extends object>(
    options: ReconcileOptions<Seen, Decision, Hints>,
  ): Reconcile =>
  (key, signal) =>
    measureReconcile(options, () => rounds(options, key, signal));
