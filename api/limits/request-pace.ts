import { after } from '#runtime/fair/rate.ts';
import type { Clock } from '#runtime/time/clock.ts';

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

/** A subject without a recent request uses no memory. */
export function createRequestPace({ clock, burstMs }: RequestPaceOptions): RequestPace {
  /** When all requests of a subject so far are due at its rate. */
  const dues = new Map<string, number>();
  let sweptAt = clock.monotonicMs();

  function sweep(nowMs: number): void {
    if (nowMs - sweptAt < SWEEP_MS) return;
    sweptAt = nowMs;
    for (const [subject, dueMs] of dues) if (dueMs <= nowMs) dues.delete(subject);
  }
  function dueAfter(subject: string, costMs: number) {
    const nowMs = clock.monotonicMs();
    sweep(nowMs);
    return after({ dueMs: dues.get(subject), nowMs, burstMs }, costMs);
  }

  return {
    request: (subject, perSecond) => {
      const { dueMs, delayMs } = dueAfter(subject, 1_000 / perSecond);
      if (delayMs <= MAX_DELAY_MS) dues.set(subject, dueMs);
      return delayMs;
    },
    debtMs: (subject) => dueAfter(subject, 0).delayMs,
    charge: (subject, units, perSecond) => {
      const { dueMs, delayMs } = dueAfter(subject, (units * 1_000) / perSecond);
      dues.set(subject, dueMs - Math.max(0, delayMs - MAX_DEBT_MS));
    },
  };
}
