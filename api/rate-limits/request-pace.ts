import type { Clock } from '#runtime/clock.ts';

/**
 * How long a request of the subject waits, in milliseconds; Infinity if it must be refused. The subject may send `perSecond`,
 * after a burst of BURST_MS, and may have requests of MAX_DELAY_MS waiting.
 */
export type DelayRequest = (subject: string, perSecond: number) => number;

const BURST_MS = 2_000;
/** Less than the time in which the API ends its requests when it stops. */
export const MAX_DELAY_MS = 2_000;
const SWEEP_MS = 10_000;

/** Spreads requests evenly (the generic cell rate algorithm). A subject without a recent request uses no memory. */
export const createRequestPace = (clock: Pick<Clock, 'monotonicMs'>): DelayRequest => {
  /** When all requests of a subject so far are due at its rate. */
  const dueMs = new Map<string, number>();
  let sweptAt = clock.monotonicMs();

  const sweep = (nowMs: number): void => {
    if (nowMs - sweptAt < SWEEP_MS) return;
    sweptAt = nowMs;
    for (const [subject, due] of dueMs) if (due <= nowMs) dueMs.delete(subject);
  };

  return (subject, perSecond) => {
    const nowMs = clock.monotonicMs();
    sweep(nowMs);
    const due = Math.max(nowMs, dueMs.get(subject) ?? nowMs) + 1_000 / perSecond;
    const delayMs = Math.max(0, due - BURST_MS - nowMs);
    if (delayMs > MAX_DELAY_MS) return Infinity;
    dueMs.set(subject, due);
    return delayMs;
  };
};
