/**
 * Limits the retries of requests of one kind by time instead of a number. The clock runs while at least one of the requests
 * waits and none succeeds, and restarts with each success. So one request that succeeds keeps all others alive, and time in
 * which nobody needs a response does not count.
 */
export class RetryLimit {
  readonly #limitMs: number;
  readonly #now: () => number;
  #waiting = 0;
  /** Time without a success before `#since`. */
  #elapsedMs = 0;
  #since = 0;

  /** `now`: milliseconds of a clock that never jumps. */
  constructor(limitMs: number, now: () => number = () => performance.now()) {
    this.#limitMs = limitMs;
    this.#now = now;
  }

  /** Time without a success in which requests waited. */
  get elapsedMs(): number {
    return this.#elapsedMs + (this.#waiting > 0 ? this.#now() - this.#since : 0);
  }

  /** True if no further retry is allowed. With a limit of 0, no request is repeated. */
  get isOver(): boolean {
    return this.elapsedMs >= this.#limitMs;
  }

  /** A request starts to wait. Call `end` once for each. */
  begin(): void {
    if (this.#waiting === 0) this.#since = this.#now();
    this.#waiting += 1;
  }

  end(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#elapsedMs += this.#now() - this.#since;
  }

  /** Counts nothing that has passed since `elapsedMs` had this value: something else was to blame. */
  rewind(elapsedMs: number): void {
    this.#elapsedMs = elapsedMs;
    this.#since = this.#now();
  }

  /** A request succeeded, or made progress. */
  restart(): void {
    this.#elapsedMs = 0;
    this.#since = this.#now();
  }

  /** Awaits something that a waiting request is not to blame for, such as its place in a queue. */
  async excluding<T>(wait: Promise<T>): Promise<T> {
    this.end();
    try {
      return await wait;
    } finally {
      this.begin();
    }
  }
}
