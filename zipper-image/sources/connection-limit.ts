/** Limits the slowdown of the growth, so that a limit that fell hours ago still grows back. */
const MOST_DOUBLINGS = 7;

/**
 * How many requests to one origin may be under way. Starts at the maximum. An origin that throttles halves it, and it grows by
 * one with each round of served requests. One that refuses connections lowers it to those that it has accepted, and it grows
 * more slowly with each refusal.
 */
export class ConnectionLimit {
  readonly #most: number;
  #limit: number;
  /** After a pause, the requests increase step by step up to the limit. */
  #ramp: number;
  #served = 0;
  #refusals = 0;

  constructor(most: number) {
    this.#most = most;
    this.#limit = most;
    this.#ramp = most;
  }

  get limit(): number {
    return this.#limit;
  }

  get allowed(): number {
    return Math.min(this.#limit, this.#ramp);
  }

  get isUnlimited(): boolean {
    return this.allowed === this.#most;
  }

  halve(underWay: number): void {
    this.#set(Math.floor(Math.min(this.allowed, underWay) / 2));
  }

  restore(limit: number): void {
    this.#set(limit);
  }

  /** The origin accepts no more than this. `isNew`: false for requests that were sent before the last refusal. */
  lower(accepted: number, isNew: boolean): void {
    this.#set(accepted);
    if (isNew) this.#refusals = Math.min(MOST_DOUBLINGS, this.#refusals + 1);
  }

  raise(): void {
    this.#set(this.#limit + 1);
    this.#ramp = Math.min(this.#most, this.#ramp + 1);
  }

  /** The next requests come after a pause. */
  startRamp(): void {
    this.#ramp = 1;
  }

  /** The origin served a request. `isRoundOver`: all requests that were sent before the last change of the limit have a response. */
  served(isRoundOver: boolean): void {
    if (this.#ramp < this.#limit) {
      this.#ramp += 1;
      return;
    }
    this.#served += 1;
    if (!isRoundOver || this.#served < this.#needed) return;
    if (this.#limit < this.#most) this.raise();
    else this.#refusals = 0;
  }

  get #needed(): number {
    return this.#refusals > 0 ? 2 ** this.#refusals : this.#limit;
  }

  #set(limit: number): void {
    this.#served = 0;
    this.#limit = Math.max(1, Math.min(this.#most, limit));
  }
}
