export interface StallLimits {
  readonly idleTimeoutMs: number;
  /** Bytes per second; 0 turns the check off. */
  readonly minRateBytes: number;
  readonly minRateWindowMs: number;
}

/**
 * Tells a source that sends nothing, or too little, from a reader that does not read: time in which we pause is not counted.
 * Ask it at least every `tickMs`. Pure but for its own counts; times come in.
 */
export class StallWatch {
  readonly tickMs: number;
  readonly #limits: StallLimits;
  #lastCheck: number;
  #lastBytes = 0;
  #pausedSince: number | undefined;
  #pausedMs = 0;
  #idleMs = 0;
  #windowMs = 0;
  #windowBytes = 0;

  constructor(limits: StallLimits, now: number) {
    this.#limits = limits;
    this.#lastCheck = now;
    this.tickMs = Math.min(1000, Math.max(5, Math.min(limits.idleTimeoutMs, limits.minRateWindowMs) / 10));
  }

  pause(now: number): void {
    this.#pausedSince ??= now;
  }

  resume(now: number): void {
    if (this.#pausedSince === undefined) return;
    this.#pausedMs += now - Math.max(this.#pausedSince, this.#lastCheck);
    this.#pausedSince = undefined;
  }

  /** `received`: bytes so far. */
  check(received: number, now: number): 'idle' | 'slow' | undefined {
    const waitedMs = this.#waitedSinceLastCheck(now);
    const bytes = received - this.#lastBytes;
    this.#lastBytes = received;
    this.#idleMs = bytes > 0 || this.#pausedSince !== undefined ? 0 : this.#idleMs + waitedMs;
    if (this.#idleMs >= this.#limits.idleTimeoutMs) return 'idle';
    return this.#isSlow(bytes, waitedMs) ? 'slow' : undefined;
  }

  /** One check never counts for more than two ticks: a busy process must not take its own pause for the source's. */
  #waitedSinceLastCheck(now: number): number {
    const paused =
      this.#pausedMs +
      (this.#pausedSince === undefined ? 0 : now - Math.max(this.#pausedSince, this.#lastCheck));
    const waited = now - this.#lastCheck - paused;
    this.#lastCheck = now;
    this.#pausedMs = 0;
    return Math.min(Math.max(waited, 0), 2 * this.tickMs);
  }

  #isSlow(bytes: number, waitedMs: number): boolean {
    this.#windowBytes += bytes;
    this.#windowMs += waitedMs;
    if (this.#windowMs < this.#limits.minRateWindowMs) return false;
    const rate = (this.#windowBytes * 1000) / this.#windowMs;
    this.#windowBytes = 0;
    this.#windowMs = 0;
    return rate < this.#limits.minRateBytes;
  }
}
