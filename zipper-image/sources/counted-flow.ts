import type { RetryLimit } from '#runtime/time/retry-limit.ts';
import type { Flow } from './http-get.ts';

/**
 * Counts no time in which the body is paused. Dispose of it when the body has ended, paused or not: the sink keeps it until the next
 * one starts.
 */
export class CountedFlow implements Flow, Disposable {
  readonly #flow: Flow;
  readonly #limit: Pick<RetryLimit, 'begin' | 'end'>;
  #isCounted = true;
  #hasEnded = false;

  constructor(flow: Flow, limit: Pick<RetryLimit, 'begin' | 'end'>) {
    this.#flow = flow;
    this.#limit = limit;
  }

  pause(): void {
    this.#count(false);
    this.#flow.pause();
  }

  resume(): void {
    this.#count(true);
    this.#flow.resume();
  }

  [Symbol.dispose](): void {
    this.#count(true);
    this.#hasEnded = true;
  }

  #count(isOn: boolean): void {
    if (this.#hasEnded || isOn === this.#isCounted) return;
    this.#isCounted = isOn;
    if (isOn) this.#limit.begin();
    else this.#limit.end();
  }
}
