import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { WebhookDelivery } from '#crds/zip-job.ts';
import type { Clock } from '#runtime/time/clock.ts';

export interface DeliveryResponse {
  readonly delivery: WebhookDelivery;
  /** Host of the URL; undefined without a valid one. */
  readonly host?: string;
  /** Retry-After of the receiver: the earliest time of the next attempt. */
  readonly retryAfterMs?: number;
}

/** State of a webhook delivery in this process. */
export type DeliveryState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'inFlight' }
  /** Only the result of another attempt exists, which nothing waits for: acknowledge it. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'responded'; readonly response: DeliveryResponse };

export interface DeliveryTask {
  /** Key of the ZipJob, which has at most one delivery in flight to each of its endpoints. */
  readonly key: string;
  /** Of the endpoint in the project. */
  readonly name: string;
  /** Identifies this attempt; responses to earlier attempts are dropped. */
  readonly attemptId: string;
  /** Deliveries of one project share its limit. */
  readonly project: string;
  /** Deliveries of one endpoint share its limit. */
  readonly endpoint: string;
  /** Called when the delivery starts, because the job may have changed since it was submitted. */
  readonly isWanted: () => boolean;
  readonly send: (signal: AbortSignal) => Promise<DeliveryResponse>;
}

export interface DispatcherOptions {
  /** Maximum concurrent deliveries to receivers that are not slow. */
  readonly concurrency: number;
  readonly concurrencyPerEndpoint: number;
  /** Maximum concurrent deliveries of one project; half of them to slow receivers. Each resolves at most one name. */
  readonly concurrencyPerProject: number;
  /** A receiver with a longer response time counts as slow until it responds faster. */
  readonly slowAfterMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when the result is available from `state`, or when an unwanted delivery was dropped. */
  readonly onResponse: (key: string) => void;
  /** Called when a delivery could not be attempted. */
  readonly onError: (key: string, error: unknown) => void;
}

/**
 * Delivers webhooks outside the workers, so that a receiver that never responds blocks only itself. The queue is round-robin
 * over projects, and over the endpoints of each. A project has a limit of its own, so that many names that never resolve, or
 * many receivers that never respond, leave room for the others. Three rules isolate endpoints from each other:
 *
 * - a slow delivery leaves the pool and frees its slot; its endpoint then gets one slot in the slow pool, which has half
 *   as many; when that pool is full, a project without a slow delivery still gets one, because a busy machine alone can
 *   make an endpoint slow;
 * - an endpoint that has not responded yet gets one delivery at a time;
 * - a delivery counts against its endpoint until its result is in the status, which bounds how many a crash repeats.
 */
export interface WebhookDispatcher {
  submit(task: DeliveryTask): void;
  /** State of this attempt at the endpoint with this name; changes nothing. */
  state(key: string, attemptId: string | undefined, name?: string): DeliveryState;
  /** Drops the result once it is in the status or no longer needed. */
  acknowledge(key: string, name?: string): void;
  /** Names of the endpoints with a delivery or a result. */
  endpoints(key: string): readonly string[];
  readonly waiting: number;
}

interface Pool {
  readonly limit: number;
  running: number;
}

function isFull({ running, limit }: Pool): boolean {
  return running >= limit;
}

interface Entry {
  readonly task: DeliveryTask;
  response?: DeliveryResponse;
}

interface Endpoint {
  readonly queued: Entry[];
  /** Number of deliveries whose results are not in the status yet, including those in flight. */
  unsaved: number;
  hasResponded: boolean;
}

interface Project {
  readonly name: string;
  /** The order of the map is the round-robin order. */
  readonly endpoints: Map<string, Endpoint>;
  running: number;
  /** Those of them that are slow. */
  slow: number;
}

/** Maximum number of endpoints remembered as slow; those whose last slow delivery is the oldest are forgotten. */
const MAX_SLOW = 10_000;

class Dispatcher implements WebhookDispatcher {
  readonly #options: DispatcherOptions;
  /** By key of the ZipJob, and then by name of the endpoint. */
  readonly #entries = new Map<string, Map<string, Entry>>();
  /** The order of the map is the round-robin order. */
  readonly #projects = new Map<string, Project>();
  /** In the order of their last slow delivery. */
  readonly #slow = new Set<string>();
  readonly #quickPool: Pool;
  readonly #slowPool: Pool;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#quickPool = { limit: options.concurrency, running: 0 };
    this.#slowPool = { limit: Math.ceil(options.concurrency / 2), running: 0 };
  }

  get waiting(): number {
    return [...this.#projects.values()]
      .flatMap(({ endpoints }) => [...endpoints.values()])
      .reduce((sum, { queued }) => sum + queued.length, 0);
  }

  submit(task: DeliveryTask): void {
    const known = this.#entryOf(task);
    if (known?.response && known.task.attemptId !== task.attemptId) this.acknowledge(task.key, task.name);
    else if (known) return;
    const entry: Entry = { task };
    this.#entries.set(task.key, (this.#entries.get(task.key) ?? new Map()).set(task.name, entry));
    const project: Project = this.#projects.get(task.project) ?? {
      name: task.project,
      endpoints: new Map(),
      running: 0,
      slow: 0,
    };
    this.#projects.set(project.name, project);
    const name = task.endpoint;
    const endpoint = project.endpoints.get(name) ?? { queued: [], unsaved: 0, hasResponded: false };
    endpoint.queued.push(entry);
    project.endpoints.set(name, endpoint);
    // If there was a free slot, every other delivery that may start has started.
    this.#startNext(project, name, endpoint);
  }

  state(key: string, attemptId: string | undefined, name = DEFAULT_ENDPOINT): DeliveryState {
    const entry = this.#entryOf({ key, name });
    if (!entry) return { kind: 'idle' };
    if (entry.task.attemptId !== attemptId) return { kind: entry.response ? 'stale' : 'idle' };
    return entry.response ? { kind: 'responded', response: entry.response } : { kind: 'inFlight' };
  }

  acknowledge(key: string, name = DEFAULT_ENDPOINT): void {
    const entry = this.#entryOf({ key, name });
    if (!entry?.response) return;
    this.#release(entry.task);
    this.#next();
  }

  endpoints(key: string): readonly string[] {
    return [...(this.#entries.get(key)?.keys() ?? [])];
  }

  #entryOf({ key, name }: Pick<DeliveryTask, 'key' | 'name'>): Entry | undefined {
    return this.#entries.get(key)?.get(name);
  }

  #drop({ key, name }: DeliveryTask): void {
    const entries = this.#entries.get(key);
    entries?.delete(name);
    if (entries?.size === 0) this.#entries.delete(key);
  }

  #release(task: DeliveryTask): void {
    this.#drop(task);
    const { project: projectName, endpoint: name } = task;
    const project = this.#projects.get(projectName);
    const endpoint = project?.endpoints.get(name);
    if (!project || !endpoint) return;
    endpoint.unsaved -= 1;
    if (endpoint.unsaved === 0 && endpoint.queued.length === 0) project.endpoints.delete(name);
    this.#forget(project);
  }

  #forget({ name, endpoints, running }: Project): void {
    if (endpoints.size === 0 && running === 0) this.#projects.delete(name);
  }

  #next(): void {
    // A project that starts a delivery moves to the end of the map, where this loop visits it again.
    for (const project of this.#projects.values()) {
      if (!this.#startOneOf(project)) continue;
      this.#projects.delete(project.name);
      this.#projects.set(project.name, project);
    }
  }

  #startOneOf(project: Project): boolean {
    if (isFull(this.#quickPool) && !this.#hasSlowSlot(project)) return false;
    for (const [name, endpoint] of project.endpoints) {
      if (project.running >= this.#options.concurrencyPerProject) return false;
      if (this.#startNext(project, name, endpoint)) return true;
    }
    return false;
  }

  #startNext(project: Project, name: string, endpoint: Endpoint): boolean {
    if (this.#options.signal.aborted || !this.#hasSlot(project, name, endpoint)) return false;
    const entry = this.#takeFrom(endpoint);
    if (!entry) {
      if (endpoint.unsaved === 0) project.endpoints.delete(name);
      this.#forget(project);
      return false;
    }
    // To the end of the round-robin order.
    project.endpoints.delete(name);
    project.endpoints.set(name, endpoint);
    endpoint.unsaved += 1;
    void this.#deliver(entry, project, endpoint);
    return true;
  }

  #hasSlot(project: Project, name: string, endpoint: Endpoint): boolean {
    const { concurrencyPerProject, concurrencyPerEndpoint } = this.#options;
    const isSlow = this.#slow.has(name);
    const isFree = isSlow ? this.#hasSlowSlot(project) : !isFull(this.#quickPool);
    if (!isFree || project.running >= concurrencyPerProject) return false;
    return endpoint.unsaved < (isSlow || !endpoint.hasResponded ? 1 : concurrencyPerEndpoint);
  }

  #hasSlowSlot({ slow }: Project): boolean {
    if (slow === 0) return true;
    return !isFull(this.#slowPool) && slow < Math.ceil(this.#options.concurrencyPerProject / 2);
  }

  /** Drops unwanted deliveries. They have no result, so `onResponse` makes the controller decide again. */
  #takeFrom({ queued }: Endpoint): Entry | undefined {
    for (;;) {
      const entry = queued.shift();
      if (!entry || entry.task.isWanted()) return entry;
      this.#drop(entry.task);
      this.#options.onResponse(entry.task.key);
    }
  }

  async #deliver(entry: Entry, project: Project, endpoint: Endpoint): Promise<void> {
    const { key, endpoint: name } = entry.task;
    const { signal, onResponse, onError } = this.#options;
    const run = this.#takeSlot(name, project);
    try {
      entry.response = await entry.task.send(signal);
      endpoint.hasResponded = true;
      if (!signal.aborted) onResponse(key);
    } catch (error) {
      this.#release(entry.task);
      if (!signal.aborted) onError(key, error);
    }
    run[Symbol.dispose]();
    this.#forget(project);
    this.#next();
  }

  #rememberSlow(name: string): void {
    this.#slow.delete(name);
    this.#slow.add(name);
    const [oldest] = this.#slow;
    if (this.#slow.size > MAX_SLOW && oldest !== undefined) this.#slow.delete(oldest);
  }

  /** Takes a slot of a pool and of the project. A slow delivery moves to the slow pool and frees the slot of the other. */
  #takeSlot(name: string, project: Project): Disposable {
    const startsSlow = this.#slow.has(name);
    let isLate = false;
    const change = (isSlow: boolean, by: 1 | -1): void => {
      (isSlow ? this.#slowPool : this.#quickPool).running += by;
      if (isSlow) project.slow += by;
    };
    project.running += 1;
    change(startsSlow, 1);
    const timer = this.#options.clock.after(this.#options.slowAfterMs, () => {
      isLate = true;
      change(startsSlow, -1);
      change(true, 1);
      this.#rememberSlow(name);
      this.#next();
    });
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        project.running -= 1;
        change(isLate || startsSlow, -1);
        if (!isLate) this.#slow.delete(name);
      },
    };
  }
}

export function createWebhookDispatcher(options: DispatcherOptions): WebhookDispatcher {
  return new Dispatcher(options);
}
