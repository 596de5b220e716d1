/**
 * The time of the store, from the Date headers of its responses. Uploads in a listing have times of this clock, and neither
 * the clock of the node nor that of the API server need agree with it.
 */
export interface StoreClock {
  /** Reads the Date header of a response that has just arrived. `sentMs`: monotonic time of the request. */
  hear(header: string | undefined, sentMs: number): void;
  /** The store's time at this monotonic time, in milliseconds since 1970. Undefined before the first response. */
  at(monotonicMs: number): { readonly earliest: number; readonly latest: number } | undefined;
}

/** A Date header has whole seconds, and servers such as fasthttp, of versitygw, compute it only once a second. */
const HEADER_STEP_MS = 2000;

/** Each response narrows the bounds of the difference between both clocks. One that contradicts them replaces them. */
export function createStoreClock(now: () => number = () => performance.now()): StoreClock {
  let bounds: { readonly low: number; readonly high: number } | undefined;
  return {
    hear: (header, sentMs) => {
      const date = Date.parse(header ?? '');
      if (Number.isNaN(date)) return;
      const heard = { low: date - now(), high: date + HEADER_STEP_MS - sentMs };
      const agrees = bounds && heard.low <= bounds.high && heard.high >= bounds.low;
      bounds =
        bounds && agrees
          ? { low: Math.max(bounds.low, heard.low), high: Math.min(bounds.high, heard.high) }
          : heard;
    },
    at: (monotonicMs) => bounds && { earliest: monotonicMs + bounds.low, latest: monotonicMs + bounds.high },
  };
}
