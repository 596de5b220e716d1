import { Agent, fetch, type Response } from 'undici';
import {
  AdministrationError,
  type AdministrationErrorCode,
} from '#administration/errors/administration-error.ts';
import {
  HISTORY_ERROR_SCHEMA,
  HISTORY_LIST_SCHEMA,
  type HistoryList,
  type HistoryListQuery,
  historyPath,
} from '#administration/projects/history-interface.ts';
import {
  REFUSED_REQUESTS_SCHEMA,
  type RefusedQuery,
  type RefusedRequestList,
  refusedParams,
  refusedPath,
} from '#administration/projects/refused-interface.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { createDecoder } from '#runtime/config/schema-decoder.ts';
import { errorCode, toError } from '#runtime/errors.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { retry } from '#runtime/time/retry.ts';
import { printable } from '../table.ts';

export interface HistoryClientOptions {
  /** Origin of the dashboard. */
  readonly origin: string;
  readonly token: string;
  readonly userAgent: string;
  /** Time limit of one request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Time limit of all waits for a busy dashboard, in milliseconds. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** Receives a line for each wait for a busy dashboard. */
  readonly onWait?: (text: string) => void;
}

/** Reads the history and refused requests from the dashboard with the token of the user. */
export interface HistoryClient {
  list(
    project: string,
    query: HistoryListQuery & { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<HistoryList>;
  /** The archived form of a job; undefined if the history has none with this id. `isOneAttempt`: does not wait for a busy dashboard. */
  job(
    project: string,
    id: string,
    options?: { readonly isOneAttempt?: boolean },
  ): Promise<ZipJob | undefined>;
  /** The refused requests of a project that match the query, newest first. */
  refused(project: string, query: RefusedQuery): Promise<RefusedRequestList>;
}

/** What a request reads, in messages. */
interface Subject {
  readonly title: string;
  readonly what: string;
  /** The dashboard that has it. */
  readonly from: string;
}

const HISTORY: Subject = {
  title: 'History',
  what: 'the history',
  from: 'a zipjobs dashboard with a history',
};
const REFUSED: Subject = {
  title: 'Refused requests',
  what: 'refused requests',
  from: 'a zipjobs dashboard of this version',
};

/** A list of 500 jobs with the longest keys is 1 MiB, as are 1,000 refused requests, and an archived form at most as large as an object in etcd. */
const MAX_RESPONSE_BYTES = 8 * 1_024 * 1_024;

const decodeList = createDecoder(HISTORY_LIST_SCHEMA);
const decodeRefused = createDecoder(REFUSED_REQUESTS_SCHEMA);
const decodeError = createDecoder(HISTORY_ERROR_SCHEMA);

const CODES: Readonly<Record<number, AdministrationErrorCode>> = {
  400: 'InvalidInput',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
};

/** The dashboard or a proxy in front of it is busy. */
const BUSY: readonly number[] = [429, 502, 503, 504];
/** The dashboard counts the requests of a minute. */
const RETRY = { attempts: 4, baseDelayMs: 500, maxDelayMs: 5_000, maxRetryAfterMs: 60_000 } as const;

/** The same request may succeed soon. */
class BusyHistoryError extends AdministrationError {}

function failed(code: AdministrationErrorCode, message: string, cause?: unknown): AdministrationError {
  return new AdministrationError(message, { code, cause });
}

interface Asked {
  readonly origin: string;
  readonly subject: Subject;
}

function noDashboard({ origin, subject }: Asked, what: string, cause?: unknown): AdministrationError {
  return failed('Unreachable', `${origin} ${what}. Check that it is the address of ${subject.from}`, cause);
}

async function readText(asked: Asked, response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > MAX_RESPONSE_BYTES)
      throw noDashboard(asked, `sent a response of more than ${MAX_RESPONSE_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageIn(body: unknown): string | undefined {
  try {
    return printable(decodeError(body).error.message);
  } catch {
    return undefined;
  }
}

function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function errorOf(asked: Asked, response: Response, body: unknown): AdministrationError {
  const { origin, subject } = asked;
  const { status } = response;
  if (status >= 300 && status < 400)
    return noDashboard(asked, 'redirects to another address, to which your token is not sent');
  const message = messageIn(body);
  if (BUSY.includes(status))
    return new BusyHistoryError(`${subject.title} of ${origin}: ${message ?? `status ${status}`}`, {
      code: 'Unreachable',
      retryAfterMs: retryAfterMs(response),
    });
  if (message === undefined) return noDashboard(asked, `returned status ${status} for ${subject.what}`);
  return failed(CODES[status] ?? 'Unreachable', `${subject.title} of ${origin}: ${message}`);
}

/** Sends the token to this origin only: redirects are not followed. */
async function requestOnce(
  options: HistoryClientOptions & Asked,
  path: string,
  direct: Agent,
): Promise<unknown> {
  const { origin, token, userAgent, requestTimeoutMs, signal } = options;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
  try {
    const response = await fetch(origin + path, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': userAgent },
      redirect: 'manual',
      dispatcher: direct,
      signal: limited,
    });
    const body = parse(await readText(options, response));
    if (response.status !== 200) throw errorOf(options, response, body);
    return body;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AdministrationError) throw error;
    const why = limited.aborted
      ? `no response in ${requestTimeoutMs} ms`
      : (errorCode(error) ?? 'no connection');
    throw failed('Unreachable', `The dashboard ${origin} is not reachable: ${why}`, error);
  }
}

/** Sends requests that wait for a busy dashboard, all of them together no longer than the limit. */
function createRequest(options: HistoryClientOptions, direct: Agent) {
  let waitedMs = 0;
  function isWorthWaiting(error: unknown): boolean {
    return error instanceof BusyHistoryError && waitedMs + (error.retryAfterMs ?? 0) <= options.maxWaitMs;
  }
  return (subject: Subject, path: string, attempts: number = RETRY.attempts): Promise<unknown> =>
    retry(
      () => requestOnce({ ...options, subject }, path, direct),
      {
        ...RETRY,
        attempts,
        isRetryable: isWorthWaiting,
        onRetry: (error, _attempt, delayMs) => {
          waitedMs += delayMs;
          options.onWait?.(`${toError(error).message}. Trying again in ${Math.ceil(delayMs / 1000)} s`);
        },
      },
      options.signal,
    );
}

function decoded<T>(asked: Asked, body: unknown, decode: (body: unknown) => T): T {
  try {
    return decode(body);
  } catch (error) {
    throw noDashboard(asked, 'sent a response that this version does not understand', error);
  }
}

export function createHistoryClient(options: HistoryClientOptions): HistoryClient & AsyncDisposable {
  // The global fetch follows NODE_USE_ENV_PROXY, and would send the token of a plain HTTP dashboard on this machine to the proxy.
  const direct = new Agent();
  const request = createRequest(options, direct);
  const history = { ...options, subject: HISTORY };
  return {
    list: async (project, query) => {
      const params = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) params.set(name, String(value));
      const body = await request(HISTORY, `${historyPath(project)}?${params.toString()}`);
      return decoded(history, body, decodeList);
    },
    job: async (project, id, { isOneAttempt = false } = {}) => {
      try {
        const body = await request(HISTORY, historyPath(project, id), isOneAttempt ? 1 : undefined);
        return decoded(history, body, (one) => RESOURCES.zipJobs.decode(one));
      } catch (error) {
        if (error instanceof AdministrationError && error.code === 'NotFound') return undefined;
        throw error;
      }
    },
    refused: async (project, query) => {
      const params = refusedParams(query).toString();
      const body = await request(REFUSED, `${refusedPath(project)}${params === '' ? '' : `?${params}`}`);
      return decoded({ ...options, subject: REFUSED }, body, decodeRefused);
    },
    [Symbol.asyncDispose]: () => direct.destroy(),
  };
}
