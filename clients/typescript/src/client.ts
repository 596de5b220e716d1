import { ignoredFieldsOf } from './ignored.ts';
import type { components, operations } from './schema.ts';
import { createSend, type Limits } from './send.ts';
import { systemTiming, type Timing } from './timing.ts';
import { createWait } from './wait.ts';

export type Zip = components['schemas']['Zip'];
export type ZipRequest = components['schemas']['ZipRequest'];
export type FileEntry = components['schemas']['FileEntry'];
/** A field that responses contain only on request. */
export type Expansion = NonNullable<
  NonNullable<operations['readZip']['parameters']['query']>['expand']
>[number];

export interface ClientOptions {
  /** Address of the service, such as `https://zips.example.com`. */
  readonly baseUrl: string;
  /** An access token of the project. */
  readonly token: string;
  /** Attempts of `create` and `get`. Default: 5. */
  readonly attempts?: number;
  /** Time limit of one attempt. Default: 30 seconds. */
  readonly attemptTimeoutMs?: number;
  /** Time limit of `create` and `get` with all attempts. Default: 60 seconds. */
  readonly timeoutMs?: number;
  /**
   * Called after each `create` whose request has fields that the service does not know and ignores: the first ten names. Those of
   * entries start with `urls[].`. If it throws, `create` rejects, but the job exists.
   */
  readonly onIgnoredFields?: (names: readonly string[], zip: Zip) => void;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** @internal */
  readonly timing?: Timing;
}

export interface CallOptions {
  readonly expand?: readonly Expansion[];
  readonly signal?: AbortSignal;
  /** More headers, such as `traceparent`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CreateOptions extends CallOptions {
  /** Requests with the same key and body create one job. Default: a new UUID for each call. */
  readonly idempotencyKey?: string;
}

export interface WaitOptions extends CallOptions {
  /** Time limit of the wait. Then the job is read once more, for at most a second. Default: one hour. */
  readonly timeoutMs?: number;
  /** Maximum delay between two requests, unless the service demands more. Default: 10 seconds. */
  readonly maxPollMs?: number;
}

export interface Client {
  /** Creates a job. All attempts have the same Idempotency-Key, so they create one job. */
  readonly create: (request: ZipRequest, options?: CreateOptions) => Promise<Zip>;
  readonly get: (uuid: string, options?: CallOptions) => Promise<Zip>;
  /** Reads a job until it succeeds or fails. Errors that a retry may solve do not end the wait. @throws WaitTimeoutError */
  readonly wait: (uuid: string, options?: WaitOptions) => Promise<Zip>;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

function checkLimit(name: string, value: number): number {
  if (value >= 1 && value <= MAX_TIMER_MS) return value;
  throw new RangeError(`${name} must be between 1 and ${MAX_TIMER_MS}.`);
}

/** Without the URL in the message: it may contain a password. */
function checkBaseUrl(text: string): string {
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (/^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '')
    return `${origin}${pathname.replace(/\/$/, '')}`;
  throw new TypeError(
    'baseUrl must be an http or https URL without user name, password, query and fragment.',
  );
}

/** A client of one project. @throws TypeError or RangeError if an option is invalid */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, token, onIgnoredFields, fetch = globalThis.fetch, timing = systemTiming } = options;
  if (!/^[!-~]+$/.test(token)) throw new TypeError('token must be printable ASCII without spaces.');
  const zips = `${checkBaseUrl(baseUrl)}/v1/zips`;
  const attempts = checkLimit('attempts', options.attempts ?? 5);
  const attemptTimeoutMs = checkLimit('attemptTimeoutMs', options.attemptTimeoutMs ?? 30_000);
  const timeoutMs = checkLimit('timeoutMs', options.timeoutMs ?? 60_000);
  const send = createSend(fetch, timing);

  function request(path: string, init: RequestInit, call: CallOptions & Partial<Limits>) {
    const { expand = [], signal, deadlineMs = timing.nowMs() + timeoutMs } = call;
    const query = expand.length > 0 ? `?expand=${expand.join(',')}` : '';
    const headers = new Headers(init.headers);
    for (const [name, value] of new Headers(call.headers)) if (!headers.has(name)) headers.set(name, value);
    headers.set('authorization', `Bearer ${token}`);
    const limits = { attempts: call.attempts ?? attempts, attemptTimeoutMs, deadlineMs, signal };
    return send(`${zips}${path}${query}`, { ...init, headers, redirect: 'manual' }, limits);
  }
  function read(uuid: string, call: CallOptions & Partial<Limits>) {
    return request(`/${encodeURIComponent(uuid)}`, {}, call);
  }
  const wait = createWait(read, timing);

  return {
    create: async (body, call = {}) => {
      const key = call.idempotencyKey ?? crypto.randomUUID();
      const sent = { 'content-type': 'application/json', 'idempotency-key': key };
      const init = { method: 'POST', headers: sent, body: JSON.stringify(body) };
      const { zip, headers } = await request('', init, call);
      const ignored = ignoredFieldsOf(headers);
      if (ignored.length > 0) onIgnoredFields?.(ignored, zip);
      return zip;
    },
    get: async (uuid, call = {}) => (await read(uuid, call)).zip,
    wait: async (uuid, call = {}) => {
      const limitMs = checkLimit('timeoutMs', call.timeoutMs ?? 3_600_000);
      const maxPollMs = checkLimit('maxPollMs', call.maxPollMs ?? 10_000);
      return wait(uuid, { ...call, limitMs, maxPollMs });
    },
  };
}
