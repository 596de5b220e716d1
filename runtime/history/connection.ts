import pg from 'pg';
import { AppError } from '../errors.ts';
import { runWithin } from '../time/time-limit.ts';
import { toHistoryError } from './history-error.ts';
import type { HistorySettings } from './settings.ts';

/** Names in `text` must have a schema. `values` replace `$1`, `$2` and so on. */
export interface Statement {
  readonly text: string;
  /** Prepares the statement under this name, once per connection. One name has one text. */
  readonly name?: string;
  readonly values?: readonly unknown[];
}

/** Runs statements one after another on one connection. */
export interface HistoryClient {
  readonly query: <Row>(statement: Statement) => Promise<readonly Row[]>;
}

/** A connection that nobody else uses until it is released. */
export interface Connection extends HistoryClient {
  /** Returns it to the pool, or closes it after such an error. Only the first call counts. */
  readonly release: (error?: unknown) => void;
}

/** How errors name the database. */
export function placeOf({ historyDatabase, historyHost, historyPort }: HistorySettings): string {
  return `"${historyDatabase}" on ${historyHost}:${historyPort}`;
}

/** A connection stays usable after an error of the server that did not end it. */
export function isUsableAfter(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof pg.DatabaseError;
}

function ignore(): void {
  return undefined;
}

/** An aborted signal ends the running statement with the reason of the signal, and closes the connection. */
function toConnection(client: pg.PoolClient, place: string, signal: AbortSignal | undefined): Connection {
  const aborted = Promise.withResolvers<never>();
  // Without a statement, nobody waits for it.
  aborted.promise.catch(ignore);
  let isReleased = false;
  function release(error?: unknown): void {
    if (isReleased) return;
    isReleased = true;
    signal?.removeEventListener('abort', onAbort);
    client.off('error', ignore);
    client.release(error !== undefined && !isUsableAfter(error));
  }
  function onAbort(): void {
    aborted.reject(signal?.reason);
    release('aborted');
  }
  // Without a listener, a connection that breaks between two statements would end the process.
  client.on('error', ignore);
  signal?.addEventListener('abort', onAbort);
  async function run<Row>({ values = [], ...statement }: Statement): Promise<readonly Row[]> {
    try {
      return (await client.query<Row & pg.QueryResultRow>({ ...statement, values: [...values] })).rows;
    } catch (error) {
      throw toHistoryError(error, place);
    }
  }
  return {
    release,
    query: <Row>(statement: Statement) => Promise.race([run<Row>(statement), aborted.promise]),
  };
}

/** The pool itself ignores the signal, and has no limit for the first statement on a new connection. */
async function clientOf(
  pool: pg.Pool,
  settings: HistorySettings,
  signal: AbortSignal | undefined,
): Promise<pg.PoolClient> {
  const place = placeOf(settings);
  const ms = settings.historyConnectTimeoutMs;
  function timeoutError() {
    return toHistoryError(new Error(`timeout: no connection within ${ms} ms`), place);
  }
  const connecting = pool.connect();
  try {
    return await runWithin({ ms, signal, timeoutError }, () => connecting);
  } catch (error) {
    connecting.then((client) => client.release(), ignore);
    signal?.throwIfAborted();
    throw toHistoryError(error, place);
  }
}

/**
 * A connection of the pool. Waits for at most historyConnectTimeoutMs.
 * @throws AppError HistoryUnavailable, or the reason of the signal
 */
export async function takeConnection(
  pool: pg.Pool,
  settings: HistorySettings,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  signal?.throwIfAborted();
  const place = placeOf(settings);
  if (pool.waitingCount >= settings.historyPoolQueue)
    throw new AppError(
      `History database ${place} is unavailable: ${settings.historyPoolQueue} queries wait for a connection. Raise HISTORY_POOL_SIZE if the server can serve more.`,
      { code: 'HistoryUnavailable', retryable: true },
    );
  const client = await clientOf(pool, settings, signal);
  return toConnection(client, place, signal);
}
