import type { WebhookDelivery } from '#crds/zip-job.ts';
import type { Clock } from '#runtime/clock.ts';

export interface DeliveryAnswer {
  readonly delivery: WebhookDelivery;
  /** The receiver asked to come back no sooner. */
  readonly retryAfterMs?: number;
}

/** What this process knows of the delivery of a webhook. */
export type DeliveryState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'inFlight' }
  | { readonly kind: 'answered'; readonly answer: DeliveryAnswer };

export interface DeliveryTask {
  /** Key of the ZipJob; at most one delivery of it is under way. */
  readonly key: string;
  /** Names this attempt: an answer to another one is not asked for any more. */
  readonly attemptId: string;
  /** Deliveries of one endpoint share its limit. */
  readonly endpoint: string;
  /** Asked when its turn has come: much may have happened since it was submitted. */
  readonly isWanted: () => boolean;
  readonly send: (signal: AbortSignal) => Promise<DeliveryAnswer>;
}

export interface DispatcherOptions {
  /** Deliveries at once to receivers that are not slow. */
  readonly concurrency: number;
  readonly concurrencyPerEndpoint: number;
  /** A receiver that takes longer than this is slow until it answers faster again. */
  readonly slowAfterMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told when an answer can be fetched with `state`, or when there will be none because it was not wanted any more. */
  readonly onAnswer: (key: string) => void;
  /** Told when a delivery could not even be tried. */
  readonly onError: (key: string, error: unknown) => void;
}

/**
 * Delivers webhooks beside the workers, so that a receiver that never answers holds up nobody but itself. Endpoints take turns.
 * Three rules keep them apart:
 *
 * - what takes long leaves the pool: its place is free for others, and its endpoint gets one place among the slow ones, of
 *   which there are half as many;
 * - an endpoint that has not answered yet gets one delivery at first;
 * - a delivery counts against its endpoint until its answer is written down, so that a crash repeats no more than that many.
 */
export interface WebhookDispatcher {
  submit(task: DeliveryTask): void;
  /** What is known of this attempt; an answer to another one is forgotten. */
  state(key: string, attemptId: string | undefined): DeliveryState;
  /** Forgets the answer once it stands in the status, or when nobody asks for it any more. */
  settle(key: string): void;
  readonly waiting: number;
}

interface Pool {
  readonly limit: number;
  running: number;
}

interface Entry {
  readonly task: DeliveryTask;
  answer?: DeliveryAnswer;
}

interface Endpoint {
  readonly line: Entry[];
  /** Sent, and not yet written down. */
  unsaved: number;
  hasAnswered: boolean;
}

/** Endpoints that are remembered as slow. */
const MAX_SLOW = 10_000;

class Dispatcher implements WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #entries = new Map<string, Entry>();
  /** The map's order is the order of the turns. */
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #slow = new Set<string>();
  readonly #quickPool: Pool;
  readonly #slowPool: Pool;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#quickPool = { limit: options.concurrency, running: 0 };
    this.#slowPool = { limit: Math.ceil(options.concurrency / 2), running: 0 };
  }

  get waiting(): number {
    return [...this.#endpoints.values()].reduce((sum, { line }) => sum + line.length, 0);
  }

  submit(task: DeliveryTask): void {
    const known = this.#entries.get(task.key);
    if (known?.answer && known.task.attemptId !== task.attemptId) this.settle(task.key);
    else if (known) return;
    const entry: Entry = { task };
    this.#entries.set(task.key, entry);
    const name = task.endpoint;
    const endpoint = this.#endpoints.get(name) ?? { line: [], unsaved: 0, hasAnswered: false };
    endpoint.line.push(entry);
    this.#endpoints.set(name, endpoint);
    // Where there was room, all others that may begin have begun.
    this.#begin(name, endpoint);
  }

  state(key: string, attemptId: string | undefined): DeliveryState {
    const entry = this.#entries.get(key);
    if (!entry) return { kind: 'idle' };
    if (entry.task.attemptId !== attemptId) {
      this.settle(key);
      return { kind: 'idle' };
    }
    return entry.answer ? { kind: 'answered', answer: entry.answer } : { kind: 'inFlight' };
  }

  settle(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry?.answer) return;
    this.#release(entry.task);
    this.#next();
  }

  #release({ key, endpoint: name }: DeliveryTask): void {
    this.#entries.delete(key);
    const endpoint = this.#endpoints.get(name);
    if (!endpoint) return;
    endpoint.unsaved -= 1;
    if (endpoint.unsaved === 0 && endpoint.line.length === 0) this.#endpoints.delete(name);
  }

  #next(): void {
    const pools = [this.#quickPool, this.#slowPool];
    // One that begins moves to the end of the turns, where this loop meets it again.
    for (const [name, endpoint] of this.#endpoints) {
      if (pools.every(({ running, limit }) => running >= limit)) return;
      this.#begin(name, endpoint);
    }
  }

  #begin(name: string, endpoint: Endpoint): void {
    const isSlow = this.#slow.has(name);
    const pool = isSlow ? this.#slowPool : this.#quickPool;
    const limit = isSlow || !endpoint.hasAnswered ? 1 : this.#options.concurrencyPerEndpoint;
    if (this.#options.signal.aborted || pool.running >= pool.limit || endpoint.unsaved >= limit) return;
    const entry = this.#takeFrom(endpoint);
    if (!entry) {
      if (endpoint.unsaved === 0) this.#endpoints.delete(name);
      return;
    }
    this.#endpoints.delete(name);
    this.#endpoints.set(name, endpoint);
    endpoint.unsaved += 1;
    void this.#deliver(entry, endpoint, pool);
  }

  /** Who is not wanted any more is told so by its key alone: it has no answer, so it is decided upon anew. */
  #takeFrom({ line }: Endpoint): Entry | undefined {
    for (;;) {
      const entry = line.shift();
      if (!entry || entry.task.isWanted()) return entry;
      this.#entries.delete(entry.task.key);
      this.#options.onAnswer(entry.task.key);
    }
  }

  async #deliver(entry: Entry, endpoint: Endpoint, pool: Pool): Promise<void> {
    const { key } = entry.task;
    const { signal, onAnswer, onError } = this.#options;
    const run = this.#takePlace(entry.task.endpoint, pool);
    try {
      entry.answer = await entry.task.send(signal);
      endpoint.hasAnswered = true;
      if (!signal.aborted) onAnswer(key);
    } catch (error) {
      this.#release(entry.task);
      if (!signal.aborted) onError(key, error);
    }
    run[Symbol.dispose]();
    this.#next();
  }

  /** A place in the pool, which becomes one among the slow ones when it is held for long. */
  #takePlace(name: string, pool: Pool): Disposable {
    let held = pool;
    let isSlow = false;
    held.running += 1;
    const timer = this.#options.clock.after(this.#options.slowAfterMs, () => {
      isSlow = true;
      held.running -= 1;
      held = this.#slowPool;
      held.running += 1;
      if (this.#slow.size < MAX_SLOW) this.#slow.add(name);
      this.#next();
    });
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        held.running -= 1;
        if (!isSlow) this.#slow.delete(name);
      },
    };
  }
}

export const createWebhookDispatcher = (options: DispatcherOptions): WebhookDispatcher =>
  new Dispatcher(options);
