import { ConnectionLimit } from '../connection-limit.ts';

/**
 * How many parts are sent at a time. A store that throttles halves the number, and it grows by one with each round of parts that the
 * store took. What was sent before it was halved says nothing about it.
 */
export class SendLimit {
  readonly #limit: ConnectionLimit;
  readonly #isThrottle: (error: unknown) => boolean;
  readonly #waiting: (() => void)[] = [];
  #active = 0;
  #cuts = 0;

  constructor(most: number, isThrottle: (error: unknown) => boolean) {
    this.#limit = new ConnectionLimit(most);
    this.#isThrottle = isThrottle;
  }

  async run<T>(send: () => Promise<T>): Promise<T> {
    if (this.#active >= this.#limit.allowed)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#active += 1;
    const cutsBefore = this.#cuts;
    try {
      const sent = await send();
      if (cutsBefore === this.#cuts) this.#limit.served(true);
      return sent;
    } catch (error) {
      if (cutsBefore === this.#cuts && this.#isThrottle(error)) this.#halve();
      throw error;
    } finally {
      this.#active -= 1;
      this.#startNext();
    }
  }

  #halve(): void {
    this.#cuts += 1;
    this.#limit.halve(this.#active);
  }

  #startNext(): void {
    while (this.#active < this.#limit.allowed) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#active += 1;
      next();
    }
  }
}
