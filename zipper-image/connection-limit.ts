/** Limits the slowdown of the growth, so that a limit that fell hours ago still grows back. */
const MOST_DOUBLINGS = 7;

/**
 * How many requests to one origin or store may be under way. Starts at the maximum. An origin that throttles halves it, and it grows by
 * one with each round of served requests. One that refuses connections lowers it to those that it has accepted, and it grows
 * more slowly with each refusal.
 */
export class ConnectionLimit {
  #most: number;
  #limit: number;
  /** After a pause, the requests increase step by step up to the limit. */
  #ramp: number;
  #served = 0;
  #refusals = 0;
  #carried = 0;
  #countsConnections = false;

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

  /** Served requests change nothing. */
  get isAtRest(): boolean {
    return this.isUnlimited && this.#refusals === 0;
  }

  /** Not one connection more than requests may be open: the origin has refused some, or gets fewer than others. */
  get countsConnections(): boolean {
    return this.#countsConnections;
  }

  /** Requests were refused since the limit was last at its maximum. */
  get isLowered(): boolean {
    return this.#refusals > 0 && this.#limit < this.#most;
  }

  /** How many times as long growth takes because of refusals. */
  get slowdown(): number {
    return 2 ** this.#refusals;
  }

  /** Never more than this from now on. */
  cap(most: number): void {
    this.#countsConnections = true;
    this.#most = Math.min(this.#most, most);
    this.#limit = Math.min(this.#limit, this.#most);
    this.#ramp = Math.min(this.#ramp, this.#most);
  }

  halve(underWay: number): void {
    this.#set(Math.floor(Math.min(this.allowed, underWay) / 2));
  }

  restore(limit: number): void {
    this.#set(limit);
  }

  /** The origin has carried this many requests at the same time since the limit was lowered. */
  carried(requests: number): void {
    this.#carried = Math.max(this.#carried, requests);
  }

  /**
   * The origin refused one request of those under way, and may have accepted the others. True if the limit is lower now. `isFirst`:
   * the file was not refused before. Otherwise it is likely to be the reason, unless the origin carries fewer. `isNew`: the
   * request was sent since the limit was lowered.
   */
  refused(underWay: number, { isFirst, isNew }: { isFirst: boolean; isNew: boolean }): boolean {
    const others = underWay - 1;
    if (others < 1 || others >= this.#limit) return false;
    const carried = this.#carried;
    const isWithin = underWay <= carried;
    // What it carried once, it may not carry any more.
    this.#carried = isWithin ? Math.floor(carried / 2) : 0;
    if (!isFirst && (isWithin || carried === 0)) return false;
    this.#set(others);
    this.#countsConnections = true;
    if (isNew && !isWithin) this.rejected();
    return true;
  }

  /** One request more than the limit has a response. */
  accepted(): void {
    this.#set(this.#limit + 1);
    this.#ramp = this.#limit;
  }

  /** One request more than the limit was refused. */
  rejected(): void {
    this.#refusals = Math.min(MOST_DOUBLINGS, this.#refusals + 1);
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
    if (this.#limit === this.#most) this.#refusals = 0;
    this.accepted();
  }

  get #needed(): number {
    return this.#refusals > 0 ? this.slowdown : this.#limit;
  }

  #set(limit: number): void {
    this.#served = 0;
    this.#limit = Math.max(1, Math.min(this.#most, limit));
  }
}
