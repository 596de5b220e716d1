import { type Clock, systemClock } from './clock.ts';

/**
 * The time of day on which a process and its API server agree. Our own clock while the answers of the API server bear it
 * out; theirs, carried on by the monotonic clock, when ours jumped or was never right.
 */
export interface ServerClock extends Clock {
  /** Takes note of the Date header of an answer that has just come, to a request that was sent at this monotonic time. */
  hear(header: string | readonly string[] | undefined, sentMs: number): void;
}

/** Clocks that are kept in step differ by less; a header tells whole seconds. */
const TOLERANCE_MS = 2_000;
const HEADER_STEP_MS = 1_000;

/** Between which values the API server's time minus our monotonic time lies. */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** Each answer narrows the bounds down; one that contradicts them comes from a clock that was set, and counts alone. */
const narrowed = (known: Bounds | undefined, reported: Bounds): Bounds => {
  if (!known || reported.low > known.high || reported.high < known.low) return reported;
  return { low: Math.max(known.low, reported.low), high: Math.min(known.high, reported.high) };
};

export const createServerClock = (local: Clock = systemClock): ServerClock => {
  let bounds: Bounds | undefined;
  return {
    monotonicMs: () => local.monotonicMs(),
    after: (delayMs, task) => local.after(delayMs, task),
    date: () => {
      const own = local.date();
      if (!bounds) return own;
      const offset = own.getTime() - local.monotonicMs();
      const agrees = offset >= bounds.low - TOLERANCE_MS && offset <= bounds.high + TOLERANCE_MS;
      return agrees ? own : new Date(Math.round((bounds.low + bounds.high) / 2 + local.monotonicMs()));
    },
    hear: (header, sentMs) => {
      const reported = typeof header === 'string' ? Date.parse(header) : Number.NaN;
      if (Number.isNaN(reported)) return;
      bounds = narrowed(bounds, {
        low: reported - local.monotonicMs(),
        high: reported + HEADER_STEP_MS - sentMs,
      });
    },
  };
};
