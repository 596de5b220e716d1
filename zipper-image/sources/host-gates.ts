export interface HostGatesOptions {
  /** Maximum concurrent requests to one origin. */
  readonly connections: number;
  /** Default performance.now. */
  readonly now?: () => number;
}

/** Permission for one active request. */
export interface Turn {
  /** Reports the response to the gate of the origin. `waitMs` is the value of Retry-After, or 0. */
  responded(status: number, waitMs: number): void;
  leave(): void;
}

interface Waiter {
  readonly index: number;
  readonly enter: () => void;
}

const THROTTLED: ReadonlySet<number> = new Set([429, 503]);

/**
 * Limits the concurrent requests to one origin. Starts at the maximum. A "too many requests" response halves the limit,
 * once for all requests that were active at that time, and delays new requests by Retry-After. Every full round of
 * successful responses increases the limit by one.
 */
class HostGate {
  readonly #most: number;
  readonly #now: () => number;
  readonly #waiters = new Set<Waiter>();
  #limit: number;
  #underWay = 0;
  #goodResponses = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
    this.#limit = most;
  }

  get limit(): number {
    return this.#limit;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiters.size === 0 && this.#limit === this.#most;
  }

  async enter(index: number, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    if (this.#waiters.size === 0 && this.#isOpen()) return this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const waiter: Waiter = { index, enter: () => resolve(this.#start()) };
    const onAbort = (): void => {
      this.#waiters.delete(waiter);
      reject(signal.reason);
    };
    this.#waiters.add(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#admit();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #isOpen(): boolean {
    return this.#underWay < this.#limit && this.#now() >= this.#heldUntil;
  }

  #start(): Turn {
    const startedAt = this.#now();
    let isUnderWay = true;
    this.#underWay += 1;
    return {
      responded: (status, waitMs) => this.#responded({ status, waitMs, startedAt }),
      leave: () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        this.#underWay -= 1;
        this.#admit();
      },
    };
  }

  #responded(response: { status: number; waitMs: number; startedAt: number }): void {
    if (!THROTTLED.has(response.status)) {
      this.#grow();
      return;
    }
    const now = this.#now();
    this.#heldUntil = Math.max(this.#heldUntil, now + response.waitMs);
    this.#goodResponses = 0;
    // Several rejections of concurrent requests count once.
    if (response.startedAt <= this.#halvedAt) return;
    this.#halvedAt = now;
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#underWay) / 2));
  }

  #grow(): void {
    if (this.#limit === this.#most) return;
    this.#goodResponses += 1;
    if (this.#goodResponses < this.#limit) return;
    this.#goodResponses = 0;
    this.#limit += 1;
    this.#admit();
  }

  /** Admits as many requests as possible, in the order of the file list. */
  #admit(): void {
    clearTimeout(this.#timer);
    while (this.#waiters.size > 0 && this.#isOpen()) {
      const first = [...this.#waiters].reduce((best, waiter) => (waiter.index < best.index ? waiter : best));
      this.#waiters.delete(first);
      first.enter();
    }
    const heldMs = this.#heldUntil - this.#now();
    if (this.#waiters.size > 0 && heldMs > 0) this.#timer = setTimeout(() => this.#admit(), heldMs);
  }
}

/** The gates of all origins. */
export class HostGates {
  readonly #options: HostGatesOptions;
  readonly #gates = new Map<string, HostGate>();

  constructor(options: HostGatesOptions) {
    this.#options = options;
  }

  /** The current limit of concurrent requests to the origin. */
  limitOf(origin: string): number {
    return this.#gates.get(origin)?.limit ?? this.#options.connections;
  }

  /**
   * Waits for a free request to the origin. The earliest file of the list comes first. Rejects with the
   * reason of the signal.
   */
  enter(origin: string, index: number, signal: AbortSignal): Promise<Turn> {
    return this.#gateOf(origin).enter(index, signal);
  }

  #gateOf(origin: string): HostGate {
    const known = this.#gates.get(origin);
    if (known) return known;
    if (this.#gates.size >= MOST_GATES) this.#forgetIdle();
    const gate = new HostGate(this.#options.connections, this.#options.now ?? (() => performance.now()));
    this.#gates.set(origin, gate);
    return gate;
  }

  #forgetIdle(): void {
    for (const [origin, gate] of this.#gates) if (gate.isIdle) this.#gates.delete(origin);
  }
}

/** Limits the memory, because each file may have its own origin. */
const MOST_GATES = 1024;
