import { setImmediate as turn } from 'node:timers/promises';
import { toError } from '#runtime/errors.ts';
import { createGroupShares, type GroupShares } from '#runtime/fair/group-shares.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type LogFields, withLogFields } from '#runtime/log/log-context.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';
import { backoffMs } from '#runtime/time/retry.ts';
import { createDueTimes, type DueTimes } from './due-times.ts';
import { createLanes, isBefore, type Lane, type Lanes } from './lanes.ts';

/** Counters of a queue, for the workqueue_* metrics; every call is cheap and never throws. */
export interface WorkQueueMetrics {
  depth(keys: number): void;
  added(): void;
  retried(): void;
  /** `queuedSeconds` is the time between becoming due and being taken. */
  started(queuedSeconds: number): void;
  finished(workSeconds: number): void;
}

export interface WorkQueueOptions {
  readonly log: Logger;
  /** First delay of `addRateLimited`; doubles with each further call for the same key. */
  readonly baseDelayMs?: number;
  readonly maxDelayMs?: number;
  /** How long `run` waits for running reconciles after its signal aborted. */
  readonly drainTimeoutMs?: number;
  readonly clock?: Clock;
  readonly metrics?: WorkQueueMetrics;
  /**
   * Group of a key; the queue is round-robin over groups, and a group uses at most half of the workers. Without it there is
   * one group, which uses all.
   */
  readonly groupOf?: (key: string) => string;
  /** Lane of a key whose delay is over. Default: `change`. */
  readonly laneWhenDue?: (key: string) => Lane;
  /** Fields of every log line during a reconcile of the key. */
  readonly logFields?: (key: string) => LogFields;
}

type ProcessKey = (key: string, signal: AbortSignal) => Promise<void>;

/**
 * A queue of keys with the semantics of client-go. A key is in any of three states:
 *
 *     waiting --(due)--> ready --(taken)--> running --(done)--> removed, or ready again
 *
 * - a key that is ready is not added twice;
 * - a running key is never given to a second worker: an add marks it dirty, and it becomes ready again when done;
 * - a key that is added with several delays becomes ready at the earliest time;
 * - ready keys are taken round-robin over groups, so that a group with thousands of failing keys does not block others;
 * - a group at its part of the workers waits, so that its slow reconciles leave workers and the API server to others;
 * - keys of a later lane wait behind the others, and move forward if they are added to an earlier one.
 */
export interface WorkQueue {
  /** Default lane: `change`. */
  add(key: string, lane?: Lane): void;
  addAfter(key: string, delayMs: number): void;
  /** Adds the key after its backoff, which doubles each time until `forget`. */
  addRateLimited(key: string): void;
  /** Resets the backoff of the key; the key stays in the queue. */
  forget(key: string): void;
  /** Drops the delay of a key whose object does not exist. */
  cancel(key: string): void;
  /**
   * Runs until the signal aborts and the running reconciles finish or exceed the drain limit. Logs errors of `process` and
   * adds the key again with backoff.
   */
  run(
    process: ProcessKey,
    options: { readonly workers: number; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Number of ready keys. */
  readonly depth: number;
  /** Number of keys with a delay. */
  readonly delayed: number;
  longestRunningMs(): number;
  /** Sum over the running keys. */
  unfinishedMs(): number;
}

/** A group may use at most half of the workers. */
const PARTS = 2;

/** Time after which workers let the process receive events: reconciles without a request never do. */
const SLICE_MS = 10;

interface Ready {
  readonly sinceMs: number;
  readonly lane: Lane;
}

interface State {
  readonly options: WorkQueueOptions;
  readonly clock: Clock;
  readonly ready: Map<string, Ready>;
  /** The ready keys in the order in which they are taken. Those that moved to another lane are in both. */
  readonly order: Lanes;
  readonly waiting: DueTimes;
  /** Running keys, with the start of their reconcile. */
  readonly inWork: Map<string, number>;
  readonly shares: GroupShares;
  /** Running keys that were added again, with their lane. */
  readonly dirty: Map<string, Lane>;
  readonly failures: Map<string, number>;
  /** Callbacks that wake the idle workers. */
  readonly idle: (() => void)[];
  /** When the workers last let the process receive events. */
  sliceStartMs: number;
  /** Set while they do. All share it: otherwise each worker would use a slice of its own before the next event. */
  pause: Promise<void> | undefined;
  /** Set when `run` is aborted: later adds are ignored. */
  stopped: boolean;
  lastReady: Ready;
}

function groupOf({ options }: State, key: string): string {
  return options.groupOf?.(key) ?? '';
}

function takeNext({ options, order, shares }: State): string | undefined {
  return order.shift(options.groupOf ? shares.hasRoom : undefined);
}

function makeReady(state: State, key: string, lane: Lane): void {
  const { options, clock, ready, order, idle } = state;
  const sinceMs = ready.get(key)?.sinceMs ?? Math.floor(clock.monotonicMs());
  // The keys of a full reconcile share a few of these.
  if (state.lastReady.sinceMs !== sinceMs || state.lastReady.lane !== lane)
    state.lastReady = { lane, sinceMs };
  ready.set(key, state.lastReady);
  order.push(lane, groupOf(state, key), key);
  options.metrics?.depth(ready.size);
  idle.shift()?.();
}

function add(state: State, key: string, lane: Lane = 'change'): void {
  if (state.stopped) return;
  const { ready, dirty, inWork } = state;
  const known = ready.get(key)?.lane ?? dirty.get(key);
  if (known !== undefined && !isBefore(lane, known)) return;
  if (known === undefined) state.options.metrics?.added();
  if (inWork.has(key)) dirty.set(key, lane);
  else makeReady(state, key, lane);
}

function addAfter(state: State, key: string, delayMs: number): void {
  if (delayMs <= 0) add(state, key);
  else if (!state.stopped) state.waiting.add(key, state.clock.monotonicMs() + delayMs);
}

function addRateLimited(state: State, key: string): void {
  const { baseDelayMs = 50, maxDelayMs = 60_000, metrics } = state.options;
  const failures = (state.failures.get(key) ?? 0) + 1;
  state.failures.set(key, failures);
  metrics?.retried();
  addAfter(state, key, backoffMs({ baseDelayMs, maxDelayMs }, failures));
}

function take(state: State): string | undefined {
  for (let key = takeNext(state); key !== undefined; key = takeNext(state)) {
    const entry = state.ready.get(key);
    // It moved to another lane, and was taken from there.
    if (!entry) continue;
    const nowMs = state.clock.monotonicMs();
    state.ready.delete(key);
    state.inWork.set(key, nowMs);
    state.shares.start(groupOf(state, key));
    state.options.metrics?.depth(state.ready.size);
    state.options.metrics?.started((nowMs - entry.sinceMs) / 1000);
    return key;
  }
  return undefined;
}

function done(state: State, key: string): void {
  const { clock, inWork, dirty, options } = state;
  const nowMs = clock.monotonicMs();
  options.metrics?.finished((nowMs - (inWork.get(key) ?? nowMs)) / 1000);
  inWork.delete(key);
  state.shares.end(groupOf(state, key));
  const lane = dirty.get(key);
  dirty.delete(key);
  if (lane) makeReady(state, key, lane);
  // Its group has room again, and the worker that ends here may take a key of another group.
  else if (state.ready.size > 0) state.idle.shift()?.();
}

function failed(state: State, key: string, error: unknown): void {
  if (state.stopped) return;
  state.options.log.error({ err: toError(error), key }, 'reconcile failed, will retry');
  addRateLimited(state, key);
}

async function round(state: State, key: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    failed(state, key, error);
  } finally {
    done(state, key);
  }
}

async function startSlice(state: State): Promise<void> {
  await turn();
  state.sliceStartMs = state.clock.monotonicMs();
  state.pause = undefined;
}

async function endSlice(state: State): Promise<void> {
  if (state.clock.monotonicMs() - state.sliceStartMs < SLICE_MS) return;
  state.pause ??= startSlice(state);
  await state.pause;
}

async function work(state: State, process: ProcessKey, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const key = take(state);
    if (key === undefined) {
      await new Promise<void>((resolve) => {
        state.idle.push(resolve);
      });
      continue;
    }
    await withLogFields(state.options.logFields?.(key) ?? {}, () =>
      round(state, key, () => process(key, signal)),
    );
    await endSlice(state);
  }
}

/** Resolves when the workers have ended, or `drainTimeoutMs` after the abort. Logs the keys that are still running. */
async function drained(state: State, workers: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { clock, options, inWork } = state;
  const limit = Promise.withResolvers<void>();
  let timer: Disposable | undefined;
  function onAbort(): void {
    state.stopped = true;
    state.waiting.clear();
    for (const wake of state.idle.splice(0)) wake();
    timer = clock.after(options.drainTimeoutMs ?? 10_000, () => {
      options.log.warn({ keys: [...inWork.keys()] }, 'stopped before all reconciles finished');
      limit.resolve();
    });
  }
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    await Promise.race([workers, limit.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    timer?.[Symbol.dispose]();
  }
}

/** Keeps added keys until `run` is called. Call `run` only once. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const clock = options.clock ?? systemClock;
  const state: State = {
    options,
    clock,
    ready: new Map(),
    order: createLanes(),
    waiting: createDueTimes({ clock, onDue: (key) => add(state, key, options.laneWhenDue?.(key)) }),
    inWork: new Map(),
    shares: createGroupShares(PARTS),
    dirty: new Map(),
    failures: new Map(),
    idle: [],
    sliceStartMs: clock.monotonicMs(),
    pause: undefined,
    stopped: false,
    lastReady: { lane: 'change', sinceMs: 0 },
  };
  function agesMs(): number[] {
    return [...state.inWork.values()].map((startMs) => state.clock.monotonicMs() - startMs);
  }
  return {
    add: (key, lane) => add(state, key, lane),
    addAfter: (key, delayMs) => addAfter(state, key, delayMs),
    addRateLimited: (key) => addRateLimited(state, key),
    forget: (key) => {
      state.failures.delete(key);
    },
    cancel: (key) => state.waiting.remove(key),
    run: (process, { workers, signal }) => {
      state.shares.divide(workers);
      const running = Promise.all(Array.from({ length: workers }, () => work(state, process, signal)));
      return drained(state, running, signal);
    },
    get depth() {
      return state.ready.size;
    },
    get delayed() {
      return state.waiting.size;
    },
    longestRunningMs: () => Math.max(0, ...agesMs()),
    unfinishedMs: () => agesMs().reduce((sum, age) => sum + age, 0),
  };
}
