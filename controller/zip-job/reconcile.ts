import type { Clock } from '#runtime/clock.ts';
import type { ControllerConfig } from '../config.ts';
import {
  measureReconcile,
  type ReconcileMeasure,
  type ReconcileOutcome,
  ZIPJOB,
} from '../engine/measure-reconcile.ts';
import type { WorkQueue } from '../engine/work-queue.ts';
import type { Act } from './act.ts';
import type { decide } from './decide.ts';
import type { DecisionConfig } from './observation.ts';
import type { Hints, Observe } from './observe.ts';

/** A job usually needs few iterations; after this many, other keys go first. */
const MAX_ROUNDS = 10;

export interface ReconcileOptions {
  readonly observe: Observe;
  readonly decide: typeof decide;
  readonly act: Act;
  readonly queue: Pick<WorkQueue, 'add' | 'addAfter' | 'forget'>;
  readonly config: DecisionConfig & Pick<ControllerConfig, 'fullReconcileSeconds'>;
  readonly clock: Clock;
  readonly metrics: ReconcileMeasure['metrics'];
}

export type Reconcile = (key: string, signal: AbortSignal) => Promise<void>;

const rest = (options: ReconcileOptions, key: string, afterMs: number | undefined): ReconcileOutcome => {
  options.queue.forget(key);
  // The full pass comes before a longer wait is over: ten thousand finished jobs need no timer each, and none runs for days.
  if (afterMs === undefined || afterMs > options.config.fullReconcileSeconds * 1000) return 'success';
  options.queue.addAfter(key, afterMs);
  return 'requeue_after';
};

const passes = async (
  options: ReconcileOptions,
  key: string,
  signal: AbortSignal,
): Promise<ReconcileOutcome> => {
  let hints: Hints = {};
  for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round += 1) {
    const seen = await options.observe(key, hints);
    if (!seen) return rest(options, key, undefined);
    const decision = options.decide(seen, options.clock.date(), options.config);
    const outcome = await options.act(seen, decision);
    if (outcome.kind === 'gone') return rest(options, key, undefined);
    if (outcome.kind === 'done') return rest(options, key, decision.requeueAfterMs);
    hints = { ...hints, ...outcome.hints };
  }
  options.queue.add(key);
  return 'requeue';
};

/** Reconciles one ZipJob: observe, decide, act, and again while something changes. */
export const createReconcile =
  (options: ReconcileOptions): Reconcile =>
  (key, signal) =>
    measureReconcile({ ...options, controller: ZIPJOB }, () => passes(options, key, signal));
