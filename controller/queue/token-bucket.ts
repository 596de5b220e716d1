import { after } from '#runtime/fair/rate.ts';
import type { Clock } from '#runtime/time/clock.ts';

/** Rate in tokens per second, and burst. */
export interface TokenRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Less is an error of rounding. */
const LEAST_MS = 1e-6;

/** Starts full. */
export class TokenBucket {
  readonly #rate: TokenRate;
  readonly #clock: Clock;
  readonly #onToken: () => void;
  #dueMs: number | undefined;
  #later: Disposable | undefined;

  /** `onToken` is called once a token is available after `take` had none. */
  constructor(rate: TokenRate, clock: Clock, onToken: () => void) {
    this.#rate = rate;
    this.#clock = clock;
    this.#onToken = onToken;
  }

  /** Takes a token; false if there is none yet. */
  take(): boolean {
    if (this.#later) return false;
    const { perSecond, burst } = this.#rate;
    const tokenMs = 1000 / perSecond;
    const rate = { dueMs: this.#dueMs, nowMs: this.#clock.monotonicMs(), burstMs: burst * tokenMs };
    const { dueMs, delayMs } = after(rate, tokenMs);
    if (delayMs < LEAST_MS) {
      this.#dueMs = dueMs;
      return true;
    }
    this.#later = this.#clock.after(Math.ceil(delayMs), () => {
      this.#later = undefined;
      this.#onToken();
    });
    return false;
  }
}
