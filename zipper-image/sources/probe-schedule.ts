export interface ProbeLimits {
  /** Shortest wait. */
  readonly leastMs: number;
  /** Longest wait, also if the origin requests a longer one. */
  readonly mostMs: number;
}

/** Each wait is this part of the time that has passed, so that the last one adds at most this part. */
export const UNKNOWN_SHARE = 1 / 4;
/** The same, once it is known how long the origin throttled the last time. */
const KNOWN_SHARE = 1 / 16;
/** Part of the known time after which the first probe is due. */
const EARLY = 7 / 8;

/**
 * When an origin that throttles is probed. If it requests a wait, after that. Otherwise after growing waits, whose number grows
 * only with the logarithm of the time, and near the time that the origin needed the last time. Depends only on the given times.
 */
export class ProbeSchedule {
  readonly #limits: ProbeLimits;
  /** How long the origin throttled the last time; 0 if unknown. */
  #knownMs = 0;
  /** From here on, nothing says how long the wait is. */
  #since = 0;
  #isFirst = true;
  #wasRequested = false;

  constructor(limits: ProbeLimits) {
    this.#limits = limits;
  }

  /** The origin starts to throttle. */
  start(now: number): void {
    this.#since = now;
    this.#isFirst = true;
    this.#wasRequested = false;
  }

  /** The wait before the next probe. `requestedMs`: the wait that the origin requests. */
  nextMs(now: number, requestedMs = 0): number {
    const wait = this.bound(requestedMs > 0 ? requestedMs : this.#guess(now));
    if (requestedMs > 0) {
      this.#wasRequested = true;
      this.#since = now + wait;
    } else {
      this.#isFirst &&= now === this.#since;
    }
    return wait;
  }

  /** The wait within the limits. */
  bound(waitMs: number): number {
    const { leastMs, mostMs } = this.#limits;
    return Math.max(leastMs, Math.min(mostMs, waitMs));
  }

  /** A probe that was sent at this time was not throttled. */
  end(sentAt: number): void {
    if (this.#wasRequested) return;
    const passedMs = sentAt - this.#since;
    // A first probe that succeeds may have come much too late.
    this.#knownMs = this.#isFirst ? passedMs / 2 : passedMs;
  }

  #guess(now: number): number {
    const passedMs = now - this.#since;
    const early = this.#wasRequested ? 0 : this.#knownMs * EARLY;
    if (passedMs < early) return early - passedMs;
    const beyondMs = this.#wasRequested ? passedMs : passedMs - this.#knownMs;
    const known = this.#wasRequested ? 0 : this.#knownMs * KNOWN_SHARE;
    return Math.max(known, beyondMs * UNKNOWN_SHARE);
  }
}
