import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import { inBatches } from '#runtime/collections/in-batches.ts';
import { createDecoder } from '#runtime/config/schema-decoder.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { readStart } from '#runtime/http/read-start.ts';
import { Agent, request } from '#runtime/http/undici.ts';
import type { Logger } from '#runtime/log/log.ts';
import {
  mergeEntries,
  REFUSED_LIST_SCHEMA,
  REFUSED_PATH,
  type RefusedEntry,
  type RefusedList,
} from '#runtime/refused-requests/refused-request.ts';
import { createTlsConnector } from '#runtime/tls/connector.ts';
import type { Trust } from '#runtime/tls/trust.ts';
import type { DashboardConfig } from '../config.ts';

/** What the API processes that responded know of a project. */
export interface RefusedRequests extends Pick<RefusedList, 'meanings' | 'helpUrl' | 'sharing'> {
  /** Newest first. */
  readonly entries: readonly RefusedEntry[];
  /** When the youngest of these processes started. */
  readonly startedAtMs: number;
  /** API processes that did not respond. */
  readonly silent: number;
}

/** Check the permissions of the user, and read the uid of the project as the user, before. @throws AppError RefusedRequestsUnavailable */
export type ReadRefused = (projectUid: string, signal: AbortSignal) => Promise<RefusedRequests>;

/** More API processes than an installation has. */
const MAX_ADDRESSES = 100;
const AT_A_TIME = 10;
const TIMEOUT_MS = 2_000;
/** Two lists of the most entries, each with the most request IDs. A longer response is cut and so invalid. */
const MAX_RESPONSE_BYTES = 4 * 1_024 * 1_024;

const decodeList = createDecoder(REFUSED_LIST_SCHEMA);

function unavailable(message: string, cause: unknown): AppError {
  return new AppError(message, { code: 'RefusedRequestsUnavailable', retryable: true, cause });
}

export function isRefusedUnavailable(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === 'RefusedRequestsUnavailable';
}

export interface RefusedReaderDeps {
  readonly config: Pick<DashboardConfig, 'dashboardApiAdminUrl' | 'dashboardApiTokenFile'>;
  readonly trust: Trust;
  readonly log: Pick<Logger, 'warn'>;
}

/** Asks one API process. */
type Ask = (address: string, projectUid: string, signal: AbortSignal) => Promise<RefusedList>;

function createAsk(dispatcher: Agent, url: URL, tokenFile: string): Ask {
  return async (address, projectUid, signal) => {
    const target = new URL(`${REFUSED_PATH}?project=${encodeURIComponent(projectUid)}`, url);
    target.hostname = isIPv6(address) ? `[${address}]` : address;
    // The kubelet renews the token.
    const token = (await readFile(tokenFile, 'utf8')).trim();
    const headers = { authorization: `Bearer ${token}` };
    const response = await request(target, { dispatcher, method: 'GET', headers, signal });
    const text = await readStart(response.body, MAX_RESPONSE_BYTES);
    if (response.statusCode !== 200)
      throw new Error(`the API process returned status ${response.statusCode} for refused requests`);
    return decodeList(JSON.parse(text));
  };
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    const found = await lookup(host, { all: true });
    return [...new Set(found.map(({ address }) => address))].slice(0, MAX_ADDRESSES);
  } catch (error) {
    throw unavailable(`No API process was found at ${host}`, error);
  }
}

/** @throws AppError RefusedRequestsUnavailable if no process responded */
function together(lists: readonly RefusedList[], failures: readonly unknown[]): RefusedRequests {
  const [first] = lists;
  if (first === undefined) throw unavailable('No API process returned its refused requests', failures[0]);
  return {
    ...first,
    sharing: lists.find(({ sharing }) => sharing !== 'redis')?.sharing ?? 'redis',
    entries: mergeEntries(lists.flatMap(({ entries }) => entries)),
    startedAtMs: Math.max(...lists.map(({ startedAtMs }) => startedAtMs)),
    silent: failures.length,
  };
}

/** Undefined without the address of the API. Asks every API process, because without Redis each knows only what it refused itself. */
export function createRefusedReader(deps: RefusedReaderDeps): (ReadRefused & AsyncDisposable) | undefined {
  const { dashboardApiAdminUrl: given, dashboardApiTokenFile: tokenFile } = deps.config;
  if (given === '') return undefined;
  const url = new URL(given);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // The addresses are those of pods, which no certificate contains.
  const tls = { servername: isIP(host) === 0 ? host : '', checkServerIdentity: () => undefined };
  const dispatcher = new Agent({ connect: createTlsConnector(deps.trust, tls), connections: 2 });
  const ask = createAsk(dispatcher, url, tokenFile);
  const read: ReadRefused = async (projectUid, signal) => {
    const failures: unknown[] = [];
    const limit = AbortSignal.any([signal, AbortSignal.timeout(2 * TIMEOUT_MS)]);
    const lists = await inBatches(await addressesOf(host), AT_A_TIME, (address) =>
      ask(address, projectUid, AbortSignal.any([limit, AbortSignal.timeout(TIMEOUT_MS)])).catch(
        (error: unknown) => {
          failures.push(error);
          return undefined;
        },
      ),
    );
    const [failure] = failures;
    if (failure !== undefined) deps.log.warn({ err: toError(failure) }, 'could not read refused requests');
    const known = lists.filter((list) => list !== undefined);
    return together(known, failures);
  };
  return Object.assign(read, { [Symbol.asyncDispose]: () => dispatcher.destroy() });
}
