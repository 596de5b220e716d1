import type { Clock } from '#runtime/clock.ts';
import { Heap } from './heap.ts';

/** When each key is due. A heap with one timer: a hundred thousand keys need no timers of their own. */
export interface DueTimes {
  /** Keeps the earlier time if the key has one. */
  add(key: string, dueMs: number): void;
  remove(key: string): void;
  clear(): void;
  readonly size: number;
}

interface Entry {
  readonly key: string;
  readonly dueMs: number;
}

export interface DueTimesOptions {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly onDue: (key: string) => void;
}

/** Removed and superseded entries that the heap may contain in addition to as many as it has valid ones. */
const SPARE_ENTRIES = 64;

function isEarlier(one: Entry, other: Entry): boolean {
  return one.dueMs < other.dueMs;
}

interface State {
  readonly options: DueTimesOptions;
  /** The valid time of each key. */
  readonly due: Map<string, number>;
  readonly heap: Heap<Entry>;
  timer: { readonly atMs: number; readonly handle: Disposable } | undefined;
}

function stop(state: State): void {
  state.timer?.handle[Symbol.dispose]();
  state.timer = undefined;
}

/** Drops the entries of keys that were removed or are due earlier, from the top or all at once, and returns the first. */
function firstOf({ due, heap }: State): Entry | undefined {
  function isValid({ key, dueMs }: Entry): boolean {
    return due.get(key) === dueMs;
  }
  if (heap.size > 2 * due.size + SPARE_ENTRIES) heap.keep(isValid);
  let first = heap.first();
  while (first && !isValid(first)) {
    heap.shift();
    first = heap.first();
  }
  return first;
}

function arm(state: State): void {
  const { clock } = state.options;
  const first = firstOf(state);
  if (state.timer?.atMs === first?.dueMs) return;
  stop(state);
  if (!first) return;
  const delayMs = Math.max(0, first.dueMs - clock.monotonicMs());
  state.timer = { atMs: first.dueMs, handle: clock.after(delayMs, () => fire(state)) };
}

function fire(state: State): void {
  const { clock, onDue } = state.options;
  state.timer = undefined;
  const nowMs = clock.monotonicMs();
  for (let first = firstOf(state); first && first.dueMs <= nowMs; first = firstOf(state)) {
    state.heap.shift();
    state.due.delete(first.key);
    onDue(first.key);
  }
  arm(state);
}

export function createDueTimes(options: DueTimesOptions): DueTimes {
  const state: State = { options, due: new Map(), heap: new Heap(isEarlier), timer: undefined };
  const { due } = state;
  return {
    add: (key, atMs) => {
      // V8 needs 16 bytes more for each copy of a number with a fraction.
      const dueMs = Math.ceil(atMs);
      const known = due.get(key);
      if (known !== undefined && known <= dueMs) return;
      due.set(key, dueMs);
      state.heap.push({ key, dueMs });
      arm(state);
    },
    remove: (key) => {
      if (due.delete(key)) arm(state);
    },
    clear: () => {
      stop(state);
      due.clear();
      state.heap.clear();
    },
    get size() {
      return due.size;
    },
  };
}
