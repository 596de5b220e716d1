export interface HostGatesOptions {
  /** Most requests to one origin at once. */
  readonly connections: number;
  /** Default performance.now. */
  readonly now?: () => number;
}

/** One request's right to be under way. */
export interface Turn {
  /** Tells the origin's gate how it was answered; `waitMs`: what Retry-After asked for, 0 for nothing. */
  responded(status: number, waitMs: number): void;
  leave(): void;
}

interface Waiter {
  readonly index: number;
  readonly enter: () => void;
}

const THROTTLED: ReadonlySet<number> = new Set([429, 503]);

/**
 * How many requests one origin gets at once. It begins at the most; "too many requests" halves it, once for all requests that
 * were under way then, and holds new ones back for as long as Retry-After asks. Every whole round of good answers adds one.
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
    // One wave of refusals counts once.
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

  /** Lets in whom there is room for, the earliest of the list first. */
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

  /** How many requests the origin gets at once now. */
  limitOf(origin: string): number {
    return this.#gates.get(origin)?.limit ?? this.#options.connections;
  }

  /** Waits for a turn at the origin; the earliest file of the list comes first. Rejects with the signal's reason. */
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

/** A list may name as many origins as files. */
const MOST_GATES = 1024;
