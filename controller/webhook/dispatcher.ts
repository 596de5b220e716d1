import type { DeliveryAnswer, DeliveryState } from '../observation.ts';

export interface DeliveryTask {
  /** Key of the ZipJob; at most one delivery of it is under way. */
  readonly key: string;
  readonly deliveryId: string;
  /** Deliveries of one endpoint share its limit. */
  readonly endpoint: string;
  readonly send: (signal: AbortSignal) => Promise<DeliveryAnswer>;
}

export interface DispatcherOptions {
  readonly concurrency: number;
  readonly concurrencyPerEndpoint: number;
  readonly signal: AbortSignal;
  /** Told when an answer can be fetched with `state`. */
  readonly onAnswer: (key: string) => void;
  /** Told when a delivery could not even be tried. */
  readonly onError: (key: string, error: unknown) => void;
}

/** Delivers webhooks beside the workers, so that a receiver that never answers holds up nobody but itself. */
export interface WebhookDispatcher {
  submit(task: DeliveryTask): void;
  state(key: string, deliveryId: string | undefined): DeliveryState;
  /** Forgets the answer once it stands in the status. */
  settle(key: string): void;
  readonly waiting: number;
}

interface Entry {
  readonly task: DeliveryTask;
  answer?: DeliveryAnswer;
}

class Dispatcher implements WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #entries = new Map<string, Entry>();
  /** Endpoints take turns: the map's order is the order of the turns, each with its own line. */
  readonly #lines = new Map<string, Entry[]>();
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.length, 0);
  }

  submit(task: DeliveryTask): void {
    if (this.#entries.has(task.key)) return;
    const entry: Entry = { task };
    this.#entries.set(task.key, entry);
    const line = this.#lines.get(task.endpoint);
    if (line) line.push(entry);
    else this.#lines.set(task.endpoint, [entry]);
    this.#next();
  }

  state(key: string, deliveryId: string | undefined): DeliveryState {
    const entry = this.#entries.get(key);
    if (!entry || entry.task.deliveryId !== deliveryId) return { kind: 'idle' };
    return entry.answer ? { kind: 'answered', answer: entry.answer } : { kind: 'inFlight' };
  }

  settle(key: string): void {
    if (this.#entries.get(key)?.answer) this.#entries.delete(key);
  }

  #next(): void {
    // A copy: the turns change while they are taken.
    for (const [endpoint, line] of Array.from(this.#lines)) {
      if (this.#total >= this.#options.concurrency || this.#options.signal.aborted) return;
      const running = this.#running.get(endpoint) ?? 0;
      const entry = running < this.#options.concurrencyPerEndpoint ? line.shift() : undefined;
      if (!entry) continue;
      // To the end of the turns.
      this.#lines.delete(endpoint);
      if (line.length > 0) this.#lines.set(endpoint, line);
      this.#running.set(endpoint, running + 1);
      this.#total += 1;
      void this.#deliver(entry);
    }
  }

  async #deliver(entry: Entry): Promise<void> {
    const { endpoint, key } = entry.task;
    const { signal, onAnswer, onError } = this.#options;
    try {
      entry.answer = await entry.task.send(signal);
      if (!signal.aborted) onAnswer(key);
    } catch (error) {
      this.#entries.delete(key);
      if (!signal.aborted) onError(key, error);
    }
    const left = (this.#running.get(endpoint) ?? 1) - 1;
    if (left === 0) this.#running.delete(endpoint);
    else this.#running.set(endpoint, left);
    this.#total -= 1;
    this.#next();
  }
}

export const createWebhookDispatcher = (options: DispatcherOptions): WebhookDispatcher =>
  new Dispatcher(options);
