import type { Clock } from '#runtime/clock.ts';

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

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Removed and superseded entries that the heap may contain in addition to as many as it has valid ones. */
const SPARE_ENTRIES = 64;

const at = (heap: readonly Entry[], index: number): number => heap[index]?.dueMs ?? Infinity;

const swap = (heap: Entry[], a: number, b: number): void => {
  const [one, other] = [heap[a], heap[b]];
  if (one && other) [heap[a], heap[b]] = [other, one];
};

const push = (heap: Entry[], entry: Entry): void => {
  let index = heap.push(entry) - 1;
  while (index > 0) {
    const parent = (index - 1) >>> 1;
    if (at(heap, parent) <= entry.dueMs) return;
    swap(heap, index, parent);
    index = parent;
  }
};

const shift = (heap: Entry[]): void => {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  heap[0] = last;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const child = at(heap, left + 1) < at(heap, left) ? left + 1 : left;
    if (at(heap, child) >= last.dueMs) return;
    swap(heap, index, child);
    index = child;
  }
};

interface State {
  readonly options: DueTimesOptions;
  /** The valid time of each key. */
  readonly due: Map<string, number>;
  heap: Entry[];
  timer: { readonly atMs: number; readonly handle: Disposable } | undefined;
}

const stop = (state: State): void => {
  state.timer?.handle[Symbol.dispose]();
  state.timer = undefined;
};

/** Drops the entries of keys that were removed or are due earlier, from the top or all at once, and returns the first. */
const firstOf = (state: State): Entry | undefined => {
  const { due } = state;
  const isValid = ({ key, dueMs }: Entry): boolean => due.get(key) === dueMs;
  if (state.heap.length > 2 * due.size + SPARE_ENTRIES)
    // A sorted array is a heap.
    state.heap = state.heap.filter(isValid).sort((a, b) => a.dueMs - b.dueMs);
  const { heap } = state;
  let [first] = heap;
  while (first && !isValid(first)) {
    shift(heap);
    [first] = heap;
  }
  return first;
};

const arm = (state: State): void => {
  const { clock } = state.options;
  const first = firstOf(state);
  if (state.timer?.atMs === first?.dueMs) return;
  stop(state);
  if (!first) return;
  const delayMs = Math.min(Math.max(0, first.dueMs - clock.monotonicMs()), LONGEST_TIMER_MS);
  state.timer = { atMs: first.dueMs, handle: clock.after(delayMs, () => fire(state)) };
};

const fire = (state: State): void => {
  const { clock, onDue } = state.options;
  state.timer = undefined;
  const nowMs = clock.monotonicMs();
  for (let first = firstOf(state); first && first.dueMs <= nowMs; first = firstOf(state)) {
    shift(state.heap);
    state.due.delete(first.key);
    onDue(first.key);
  }
  arm(state);
};

export const createDueTimes = (options: DueTimesOptions): DueTimes => {
  const state: State = { options, due: new Map(), heap: [], timer: undefined };
  const { due } = state;
  return {
    add: (key, dueMs) => {
      const known = due.get(key);
      if (known !== undefined && known <= dueMs) return;
      due.set(key, dueMs);
      push(state.heap, { key, dueMs });
      arm(state);
    },
    remove: (key) => {
      if (due.delete(key)) arm(state);
    },
    clear: () => {
      stop(state);
      due.clear();
      state.heap = [];
    },
    get size() {
      return due.size;
    },
  };
};
