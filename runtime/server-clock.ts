import { type Clock, systemClock } from './clock.ts';

/**
 * The wall-clock time of the API server. Uses the local clock while it agrees with the Date headers of the API server.
 * If the local clock is wrong or jumps, continues the server's time with the monotonic clock.
 */
export interface ServerClock extends Clock {
  /** Reads the Date header of a response that has just arrived. `sentMs` is the monotonic time of the request. */
  hear(header: string | readonly string[] | undefined, sentMs: number): void;
}

/** Synchronised clocks differ by less. A Date header has a resolution of one second. */
const TOLERANCE_MS = 2_000;
const HEADER_STEP_MS = 1_000;

/** Lower and upper bound of the API server's time minus our monotonic time. */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** Each response narrows the bounds. A response that contradicts them comes from a clock that was changed, and replaces them. */
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
