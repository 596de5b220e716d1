import type { Clock } from '#runtime/clock.ts';

export interface RequestPaceOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** A subject may send at once what its rate allows in this time. */
  readonly burstMs: number;
}

/** Spreads what a subject sends evenly at its rate. Delays are in milliseconds. */
export interface RequestPace {
  /** How long a request of the subject waits. Counts it, unless it would wait longer than MAX_DELAY_MS. */
  request(subject: string, perSecond: number): number;
  /** How long a request of the subject waits because of what was charged before. Counts nothing. */
  debtMs(subject: string): number;
  /** Counts units that the subject has used already. Its next requests wait for them, at most MAX_DEBT_MS. */
  charge(subject: string, units: number, perSecond: number): void;
}

/** Less than the time in which the API ends its requests when it stops. */
export const MAX_DELAY_MS = 2_000;
/** However low its rate is, or was when the units were charged. */
export const MAX_DEBT_MS = 60_000;
const SWEEP_MS = 10_000;

/** The generic cell rate algorithm. A subject without a recent request uses no memory. */
export function createRequestPace({ clock, burstMs }: RequestPaceOptions): RequestPace {
  /** When all requests of a subject so far are due at its rate. */
  const dueMs = new Map<string, number>();
  let sweptAt = clock.monotonicMs();

  function sweep(nowMs: number): void {
    if (nowMs - sweptAt < SWEEP_MS) return;
    sweptAt = nowMs;
    for (const [subject, due] of dueMs) if (due <= nowMs) dueMs.delete(subject);
  }
  function dueAfter(subject: string, ms: number): { readonly due: number; readonly delayMs: number } {
    const nowMs = clock.monotonicMs();
    sweep(nowMs);
    const due = Math.max(nowMs, dueMs.get(subject) ?? nowMs) + ms;
    return { due, delayMs: Math.max(0, due - burstMs - nowMs) };
  }

  return {
    request: (subject, perSecond) => {
      const { due, delayMs } = dueAfter(subject, 1_000 / perSecond);
      if (delayMs <= MAX_DELAY_MS) dueMs.set(subject, due);
      return delayMs;
    },
    debtMs: (subject) => dueAfter(subject, 0).delayMs,
    charge: (subject, units, perSecond) => {
      const { due, delayMs } = dueAfter(subject, (units * 1_000) / perSecond);
      dueMs.set(subject, due - Math.max(0, delayMs - MAX_DEBT_MS));
    },
  };
}
