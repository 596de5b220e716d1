import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
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
  /** Something changed: observe again at once, with hints about objects that the caches may lack. */
  | { readonly kind: 'again'; readonly hints: Hints }
  /** The caches are stale: observe again after they had time to catch up. */
  | { readonly kind: 'conflict' };

export interface Requeue {
  /** Requeue delay if nothing changes. */
  readonly requeueAfterMs?: number;
}

/** The common structure of all controllers. */
export interface ReconcileOptions<Seen, Decision extends Requeue, Hints extends object> {
  readonly controller: ReconcileMeasure['controller'];
  /** Reads only. Undefined if the object does not exist. */
  readonly observe: (key: ObjectKey, hints: Partial<Hints>) => Promise<Seen | undefined>;
  /** Has no side effects and reads no clock. */
  readonly decide: (seen: Seen, now: Date) => Decision;
  /** The only part with side effects. */
  readonly act: (seen: Seen, decision: Decision) => Promise<Outcome<Hints>>;
  /** Drops the state of an object that does not exist. */
  readonly onGone: (key: ObjectKey) => void;
  readonly queue: Pick<WorkQueue, 'add' | 'addAfter' | 'forget' | 'cancel'>;
  readonly clock: Pick<Clock, 'date' | 'monotonicMs'>;
  readonly metrics: ReconcileMeasure['metrics'];
}

export type Reconcile = (key: ObjectKey, signal: AbortSignal) => Promise<void>;

function endRounds(
  { queue }: Pick<ReconcileOptions<unknown, Requeue, object>, 'queue'>,
  key: ObjectKey,
  afterMs: number | undefined,
): ReconcileOutcome {
  queue.forget(key);
  if (afterMs === undefined) return 'success';
  queue.addAfter(key, afterMs);
  return 'requeue_after';
}

async function rounds<Seen, Decision extends Requeue, Hints extends object>(
  options: ReconcileOptions<Seen, Decision, Hints>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  let hints: Partial<Hints> = {};
  for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round += 1) {
    const seen = await options.observe(key, hints);
    if (!seen) {
      options.onGone(key);
      options.queue.cancel(key);
      return endRounds(options, key, undefined);
    }
    const decision = options.decide(seen, options.clock.date());
    const outcome = await options.act(seen, decision);
    if (outcome.kind === 'gone') return endRounds(options, key, undefined);
    if (outcome.kind === 'done') return endRounds(options, key, decision.requeueAfterMs);
    if (outcome.kind === 'conflict') return endRounds(options, key, AFTER_CONFLICT_MS);
    hints = { ...hints, ...outcome.hints };
  }
  options.queue.add(key);
  return 'requeue';
}

/** For actions on cached objects: an object that changed or was deleted since then is not an error. */
export async function tolerateChanges<Hints extends object>(
  actions: () => Promise<Outcome<Hints>>,
): Promise<Outcome<Hints>> {
  try {
    return await actions();
  } catch (error) {
    if (isKubeError(error, 'Conflict')) return { kind: 'conflict' };
    if (isKubeError(error, 'NotFound', 'NamespaceTerminating')) return { kind: 'done' };
    throw error;
  }
}

/** Reconciles one object: observes, decides and acts, and repeats while something changes. */
export function createReconcile<Seen, Decision extends Requeue, Hints extends object>(
  options: ReconcileOptions<Seen, Decision, Hints>,
): Reconcile {
  return (key, signal) => measureReconcile(options, () => rounds(options, key, signal));
}
