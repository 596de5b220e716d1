import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '#runtime/time/clock.ts';

interface Due {
  readonly atMs: number;
  readonly task: () => void;
}

/** A clock that only the test advances. */
export interface ManualClock extends Clock {
  /** Advances the time, runs due timers in order, and waits for pending promises after each. */
  advance(ms: number): Promise<void>;
  /** Advances the time like a pause of the whole process: no timer runs in between. */
  jump(ms: number): void;
  readonly pending: number;
}

async function flushPromises(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn();
}

export function createManualClock(start = new Date('2026-01-02T03:04:05.678Z')): ManualClock {
  let nowMs = 0;
  const due = new Set<Due>();
  function nextDue(): Due | undefined {
    return [...due].sort((a, b) => a.atMs - b.atMs)[0];
  }
  return {
    monotonicMs: () => nowMs,
    date: () => new Date(start.getTime() + nowMs),
    after: (delayMs, task) => {
      const entry = { atMs: nowMs + delayMs, task };
      due.add(entry);
      return {
        [Symbol.dispose]: () => {
          due.delete(entry);
        },
      };
    },
    advance: async (ms) => {
      const targetMs = nowMs + ms;
      await flushPromises();
      for (let next = nextDue(); next && next.atMs <= targetMs; next = nextDue()) {
        nowMs = Math.max(nowMs, next.atMs);
        due.delete(next);
        next.task();
        await flushPromises();
      }
      nowMs = targetMs;
    },
    jump: (ms) => {
      nowMs += ms;
    },
    get pending() {
      return due.size;
    },
  };
}
