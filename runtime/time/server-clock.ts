import { type Clock, systemClock } from './clock.ts';

/**
 * The wall-clock time of the API server. Uses the local clock while it agrees with the Date headers of the API server.
 * If the local clock is wrong or jumps, continues the server's time with the monotonic clock.
 *
 * A cluster has several API servers, and the clock of one of them may be wrong. A time that contradicts the known one counts only if
 * the local clock agrees with it alone, or if nothing else was heard for a while, as after the clock of the only server was set.
 */
export interface ServerClock extends Clock {
  /** Reads the Date header of a response that has just arrived. `sentMs` is the monotonic time of the request. */
  hear(header: string | readonly string[] | undefined, sentMs: number): void;
}

/** Synchronised clocks differ by less. A Date header has a resolution of one second. */
const TOLERANCE_MS = 2_000;
const HEADER_STEP_MS = 1_000;
/** Another time replaces the known one after this many responses in a row, */
const LEAST_RESPONSES = 5;
/** and after no response with the known time for this long. */
const REPLACED_AFTER_MS = 30_000;

/** Lower and upper bound of the API server's time minus our monotonic time. */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** Time between both; 0 if they overlap. */
function gapOf(one: Bounds, other: Bounds): number {
  return Math.max(0, one.low - other.high, other.low - one.high);
}

/** Each response narrows the bounds. Servers that are synchronised may still differ a little: then the later one counts. */
function narrowed(known: Bounds | undefined, reported: Bounds): Bounds {
  return !known || gapOf(known, reported) > 0
    ? reported
    : { low: Math.max(known.low, reported.low), high: Math.min(known.high, reported.high) };
}

function contradicts(known: Bounds, reported: Bounds): boolean {
  return gapOf(known, reported) > TOLERANCE_MS;
}

class ObservedClock implements ServerClock {
  readonly #local: Clock;
  readonly #onContradiction: (differenceMs: number) => void;
  #known: Bounds | undefined;
  /** Monotonic time of the last response with the known time. */
  #heardMs = 0;
  /** Another time, heard since the last response with the known one. */
  #other: { readonly bounds: Bounds; readonly responses: number } | undefined;

  constructor(local: Clock, onContradiction: (differenceMs: number) => void) {
    this.#local = local;
    this.#onContradiction = onContradiction;
  }

  monotonicMs(): number {
    return this.#local.monotonicMs();
  }

  after(delayMs: number, task: () => void): Disposable {
    return this.#local.after(delayMs, task);
  }

  date(): Date {
    const bounds = this.#known;
    if (!bounds || this.#isLocal(bounds)) return this.#local.date();
    return new Date(Math.round((bounds.low + bounds.high) / 2 + this.monotonicMs()));
  }

  hear(header: string | readonly string[] | undefined, sentMs: number): void {
    const date = typeof header === 'string' ? Date.parse(header) : Number.NaN;
    if (Number.isNaN(date)) return;
    const nowMs = this.monotonicMs();
    const reported = { low: date - nowMs, high: date + HEADER_STEP_MS - sentMs };
    if (this.#known && contradicts(this.#known, reported)) this.#hearOther(this.#known, reported);
    else this.#accept(narrowed(this.#known, reported));
  }

  #accept(bounds: Bounds): void {
    this.#known = bounds;
    this.#heardMs = this.monotonicMs();
    this.#other = undefined;
  }

  #hearOther(known: Bounds, reported: Bounds): void {
    this.#onContradiction(gapOf(known, reported));
    const before = this.#other && !contradicts(this.#other.bounds, reported) ? this.#other : undefined;
    const other = { bounds: narrowed(before?.bounds, reported), responses: (before?.responses ?? 0) + 1 };
    this.#other = other;
    const isConfirmed = this.#isLocal(other.bounds) && !this.#isLocal(known);
    const isAlone =
      other.responses >= LEAST_RESPONSES && this.monotonicMs() - this.#heardMs >= REPLACED_AFTER_MS;
    if (isConfirmed || isAlone) this.#accept(other.bounds);
  }

  #isLocal({ low, high }: Bounds): boolean {
    const offset = this.#local.date().getTime() - this.#local.monotonicMs();
    return offset >= low - TOLERANCE_MS && offset <= high + TOLERANCE_MS;
  }
}

/** `onContradiction` is called for each response whose time differs from the known one, with the difference in milliseconds. */
export function createServerClock(
  local: Clock = systemClock,
  onContradiction: (differenceMs: number) => void = () => undefined,
): ServerClock {
  return new ObservedClock(local, onContradiction);
}
