import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';

export interface KubeApiOptions {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

interface Call {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const CALL_LIMIT_MS = 20_000;
const WATCH_SECONDS = 300;
const USER_AGENT = 'zipjobs-local-cluster';
const STRATEGIC_MERGE = 'application/strategic-merge-patch+json';

/** The API server returned an error status. */
export class KubeApiError extends Error {
  override readonly name = 'KubeApiError';
  readonly code: number;
  readonly retryable: boolean;

  constructor(what: string, status: number, detail: string) {
    super(`${what} failed with status ${status}: ${detail}`);
    this.code = status;
    this.retryable = status === 429 || status >= 500;
  }
}

/**
 * The few calls of the local cluster, on keep-alive connections and with a response type that the caller names. The
 * Kubernetes client would open a TLS connection per call, and importing it would slow down every test run.
 */
export class KubeApi {
  readonly url: string;
  readonly #agent: Agent;

  constructor(options: KubeApiOptions) {
    this.url = options.url;
    const { ca, cert, key } = options;
    // A watch may be silent without limit.
    this.#agent = new Agent({
      connect: { ca, cert, key },
      bodyTimeout: 0,
      headersTimeout: CALL_LIMIT_MS,
      pipelining: 1,
      // With HTTP/2, an API server that is killed causes a rejection that no code can handle.
      allowH2: false,
    });
  }

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#json<T>('GET', path, signal === undefined ? {} : { signal });
  }

  create<T>(path: string, body: unknown): Promise<T> {
    return this.#json<T>('POST', path, { body });
  }

  replace<T>(path: string, body: unknown): Promise<T> {
    return this.#json<T>('PUT', path, { body });
  }

  /** Strategic merge patch, for built-in kinds only. */
  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#json<T>('PATCH', path, { body, contentType: STRATEGIC_MERGE });
  }

  /** Server-side apply, which takes over the fields of other managers and refuses unknown ones. */
  apply<T>(path: string, body: unknown): Promise<T> {
    const query = `fieldManager=${USER_AGENT}&force=true&fieldValidation=Strict`;
    return this.#json<T>('PATCH', `${path}?${query}`, { body, contentType: 'application/apply-patch+yaml' });
  }

  remove<T>(path: string, body: unknown): Promise<T> {
    return this.#json<T>('DELETE', path, { body });
  }

  async isReady(): Promise<boolean> {
    const response = await this.#request('GET', '/readyz', { signal: AbortSignal.timeout(2_000) });
    await response.body.dump();
    return response.statusCode === 200;
  }

  /** Yields the events after a resourceVersion, until the server ends the watch. */
  async *watch<T>(path: string, resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatchEvent<T>> {
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${resourceVersion}`;
    const what = `${path}${path.includes('?') ? '&' : '?'}${query}`;
    const response = await this.#request('GET', what, { signal });
    if (response.statusCode !== 200)
      throw new KubeApiError(`watch ${path}`, response.statusCode, await response.body.text());
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as WatchEvent<T>;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #json<T>(method: Method, path: string, call: Call): Promise<T> {
    const limit = AbortSignal.timeout(CALL_LIMIT_MS);
    const signal = call.signal === undefined ? limit : AbortSignal.any([limit, call.signal]);
    const response = await this.#request(method, path, { ...call, signal });
    const text = await response.body.text();
    if (response.statusCode >= 300)
      throw new KubeApiError(`${method} ${path}`, response.statusCode, messageOf(text));
    return JSON.parse(text) as T;
  }

  #request(method: Method, path: string, call: Call): Promise<Dispatcher.ResponseData> {
    const content = call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' };
    return this.#agent.request({
      origin: this.url,
      path,
      method,
      headers: { accept: 'application/json', 'user-agent': USER_AGENT, ...content },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: call.signal ?? null,
    });
  }
}

function messageOf(text: string): string {
  try {
    const status: unknown = JSON.parse(text);
    if (typeof status === 'object' && status !== null && 'message' in status) return String(status.message);
  } catch {
    // Not a Status object, so the message is the text.
  }
  return text.slice(0, 300);
}

/** Returns the result of `attempt`, and retries it until it does not throw or the signal aborts. */
export async function untilResponded<T>(
  attempt: () => Promise<T>,
  everyMs: number,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof KubeApiError && !error.retryable) throw error;
      await delay(everyMs, undefined, { signal });
    }
  }
}
