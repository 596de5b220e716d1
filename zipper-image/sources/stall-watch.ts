export interface StallLimits {
  readonly idleTimeoutMs: number;
  /** Bytes per second; 0 disables the check. */
  readonly minRateBytes: number;
  readonly minRateWindowMs: number;
}

/**
 * Detects a source that sends nothing, or too little. Time in which we do not read does not count. Call it at least
 * every `tickMs`. Depends only on its own counts and the given times.
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

  /** `received`: bytes received so far. */
  check(received: number, now: number): 'idle' | 'slow' | undefined {
    const waitedMs = this.#waitedSinceLastCheck(now);
    const bytes = received - this.#lastBytes;
    this.#lastBytes = received;
    this.#idleMs = bytes > 0 || this.#pausedSince !== undefined ? 0 : this.#idleMs + waitedMs;
    if (this.#idleMs >= this.#limits.idleTimeoutMs) return 'idle';
    return this.#isSlow(bytes, waitedMs) ? 'slow' : undefined;
  }

  /** One check counts for at most two ticks, so that a pause of a busy process is not attributed to the source. */
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
