import type { Clock } from '#runtime/clock.ts';

/** Rate in tokens per second, and burst. */
export interface TokenRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Starts full. */
export class TokenBucket {
  readonly #rate: TokenRate;
  readonly #clock: Clock;
  readonly #onToken: () => void;
  #left: number;
  #atMs: number;
  #later: Disposable | undefined;

  /** `onToken` is called once a token is available after `take` had none. */
  constructor(rate: TokenRate, clock: Clock, onToken: () => void) {
    this.#rate = rate;
    this.#clock = clock;
    this.#onToken = onToken;
    this.#left = rate.burst;
    this.#atMs = clock.monotonicMs();
  }

  /** Takes a token; false if there is none yet. */
  take(): boolean {
    if (this.#later) return false;
    const { perSecond, burst } = this.#rate;
    const nowMs = this.#clock.monotonicMs();
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) / 1000) * perSecond);
    this.#atMs = nowMs;
    if (this.#left >= 1) {
      this.#left -= 1;
      return true;
    }
    this.#later = this.#clock.after(Math.ceil(((1 - this.#left) / perSecond) * 1000), () => {
      this.#later = undefined;
      this.#onToken();
    });
    return false;
  }
}
