import { Agent, fetch, type Response } from 'undici';
import { AdministrationError, type AdministrationErrorCode } from '#administration/administration-error.ts';
import {
  HISTORY_ERROR_SCHEMA,
  HISTORY_LIST_SCHEMA,
  type HistoryList,
  type HistoryListQuery,
  historyPath,
} from '#administration/history-interface.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { errorCode } from '#runtime/errors.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { createDecoder } from '#runtime/schema-decoder.ts';
import { printable } from '../table.ts';

export interface HistoryClientOptions {
  /** Origin of the dashboard. */
  readonly origin: string;
  readonly token: string;
  readonly userAgent: string;
  /** Time limit of one request, in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Reads the history from the dashboard with the token of the user. */
export interface HistoryClient {
  list(
    project: string,
    query: HistoryListQuery & { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<HistoryList>;
  /** The archived form of a job; undefined if the history has none with this id. */
  job(project: string, id: string): Promise<ZipJob | undefined>;
}

/** A list of 500 jobs with the longest keys is 1 MiB, and an archived form at most as large as an object in etcd. */
const MAX_RESPONSE_BYTES = 8 * 1_024 * 1_024;

const decodeList = createDecoder(HISTORY_LIST_SCHEMA);
const decodeError = createDecoder(HISTORY_ERROR_SCHEMA);

const CODES: Readonly<Record<number, AdministrationErrorCode>> = {
  400: 'InvalidInput',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'Failed',
};

const failed = (code: AdministrationErrorCode, message: string, cause?: unknown): AdministrationError =>
  new AdministrationError(message, { code, cause });

const noDashboard = (origin: string, what: string, cause?: unknown): AdministrationError =>
  failed(
    'Unreachable',
    `${origin} ${what}. Check that it is the address of a zipjobs dashboard with a history`,
    cause,
  );

const readText = async ({ origin }: HistoryClientOptions, response: Response): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > MAX_RESPONSE_BYTES)
      throw noDashboard(origin, `sent a response of more than ${MAX_RESPONSE_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const errorOf = (origin: string, status: number, body: unknown): AdministrationError => {
  if (status >= 300 && status < 400)
    return noDashboard(origin, 'redirects to another address, to which your token is not sent');
  try {
    const { message } = decodeError(body).error;
    return failed(CODES[status] ?? 'Unreachable', `History of ${origin}: ${printable(message)}`);
  } catch {
    return noDashboard(origin, `returned status ${status} for the history`);
  }
};

/** Sends the token to this origin only: redirects are not followed. */
const request = async (options: HistoryClientOptions, path: string, direct: Agent): Promise<unknown> => {
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
    if (response.status !== 200) throw errorOf(origin, response.status, body);
    return body;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AdministrationError) throw error;
    const why = limited.aborted
      ? `no response in ${requestTimeoutMs} ms`
      : (errorCode(error) ?? 'no connection');
    throw failed('Unreachable', `The dashboard ${origin} is not reachable: ${why}`, error);
  }
};

const decoded = <T>({ origin }: HistoryClientOptions, body: unknown, decode: (body: unknown) => T): T => {
  try {
    return decode(body);
  } catch (error) {
    throw noDashboard(origin, 'sent a response that this version does not understand', error);
  }
};

export const createHistoryClient = (options: HistoryClientOptions): HistoryClient & AsyncDisposable => {
  // The global fetch follows NODE_USE_ENV_PROXY, and would send the token of a plain HTTP dashboard on this machine to the proxy.
  const direct = new Agent();
  return {
    list: async (project, query) => {
      const params = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) params.set(name, String(value));
      const body = await request(options, `${historyPath(project)}?${params.toString()}`, direct);
      return decoded(options, body, decodeList);
    },
    job: async (project, id) => {
      try {
        const body = await request(options, historyPath(project, id), direct);
        return decoded(options, body, (one) => RESOURCES.zipJobs.decode(one));
      } catch (error) {
        if (error instanceof AdministrationError && error.code === 'NotFound') return undefined;
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => direct.destroy(),
  };
};
