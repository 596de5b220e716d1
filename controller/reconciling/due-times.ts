import type { Clock } from '#runtime/time/clock.ts';
import { LiveHeap } from './heap.ts';

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

function isEarlier(one: Entry, other: Entry): boolean {
  return one.dueMs < other.dueMs;
}

interface State {
  readonly options: DueTimesOptions;
  readonly entries: LiveHeap<string, Entry>;
  timer: { readonly atMs: number; readonly handle: Disposable } | undefined;
}

function stop(state: State): void {
  state.timer?.handle[Symbol.dispose]();
  state.timer = undefined;
}

function arm(state: State): void {
  const { clock } = state.options;
  const first = state.entries.first();
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
  const { entries } = state;
  for (let first = entries.first(); first && first.dueMs <= nowMs; first = entries.first()) {
    entries.shift();
    onDue(first.key);
  }
  arm(state);
}

export function createDueTimes(options: DueTimesOptions): DueTimes {
  const entries = new LiveHeap(({ key }: Entry) => key, isEarlier);
  const state: State = { options, entries, timer: undefined };
  return {
    add: (key, atMs) => {
      // V8 needs 16 bytes more for each copy of a number with a fraction.
      const dueMs = Math.ceil(atMs);
      const known = entries.get(key);
      if (known && known.dueMs <= dueMs) return;
      entries.add({ key, dueMs });
      arm(state);
    },
    remove: (key) => {
      if (entries.remove(key)) arm(state);
    },
    clear: () => {
      stop(state);
      entries.clear();
    },
    get size() {
      return entries.size;
    },
  };
}
