import { type HistoryClient, isUsableAfter, type Statement, takeConnection } from './connection.ts';
import { createPool, type PoolDeps } from './pool.ts';
import type { HistorySettings } from './settings.ts';

export type { HistoryClient, Statement } from './connection.ts';

export interface StreamOptions {
  /** Maximum rows in memory. */
  readonly batchRows: number;
  readonly signal?: AbortSignal;
}

/**
 * The history of jobs in PostgreSQL. In rows, `bigint` is a number and `timestamptz` is RFC 3339 in UTC. Every method throws an
 * AppError with one of four codes: `HistoryUnavailable` (retryable: no connection, a time limit, missing migrations),
 * `HistoryPartitionMissing` (retryable), `HistoryClockDiffers` (retryable), `HistoryRefused`. An aborted signal throws its reason and
 * closes the connection, so that the statement ends.
 */
export interface HistoryDatabase extends AsyncDisposable {
  query<Row>(statement: Statement, signal?: AbortSignal): Promise<readonly Row[]>;
  /**
   * Commits if `work` resolves, which must not catch errors of its statements. If the connection breaks during the commit, it
   * throws although the commit may have succeeded, so `work` must be safe to repeat.
   */
  transaction<T>(work: (client: HistoryClient) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * The rows of a long list in batches, as of one point in time. The connection is in use until the end of the loop, which must ask
   * for each next batch within historyStatementTimeoutMs.
   */
  stream<Row>(statement: Statement, options: StreamOptions): AsyncGenerator<readonly Row[]>;
}

const CURSOR = 'zipjobs_rows';

async function inTransaction<T>(
  client: HistoryClient,
  work: (client: HistoryClient) => Promise<T>,
): Promise<T> {
  await client.query({ text: 'BEGIN' });
  try {
    const result = await work(client);
    await client.query({ text: 'COMMIT' });
    return result;
  } catch (error) {
    // After any other error the connection is closed, which ends the transaction too.
    if (isUsableAfter(error)) await client.query({ text: 'ROLLBACK' });
    throw error;
  }
}

async function* fetchBatches<Row>(
  client: HistoryClient,
  { text, values = [] }: Statement,
  batchRows: number,
): AsyncGenerator<readonly Row[]> {
  await client.query({ text: 'BEGIN READ ONLY' });
  await client.query({ text: `DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${text}`, values });
  for (let isMore = true; isMore; ) {
    const rows = await client.query<Row>({ text: `FETCH ${batchRows} FROM ${CURSOR}` });
    if (rows.length > 0) yield rows;
    isMore = rows.length === batchRows;
  }
  await client.query({ text: 'COMMIT' });
}

/**
 * Connections are made on demand, so that a process starts without the database. A query waits for a connection for at most
 * historyConnectTimeoutMs, and at most historyPoolQueue queries wait.
 * @throws ConfigError for an invalid HISTORY_CA_FILE
 */
export function createHistoryDatabase(settings: HistorySettings, deps: PoolDeps): HistoryDatabase {
  const pool = createPool(settings, deps);

  async function withClient<T>(
    use: (client: HistoryClient) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const connection = await takeConnection(pool, settings, signal);
    try {
      const result = await use(connection);
      connection.release();
      return result;
    } catch (error) {
      connection.release(error);
      throw error;
    }
  }

  async function* stream<Row>(
    statement: Statement,
    { batchRows, signal }: StreamOptions,
  ): AsyncGenerator<readonly Row[]> {
    const connection = await takeConnection(pool, settings, signal);
    try {
      yield* fetchBatches<Row>(connection, statement, batchRows);
      connection.release();
    } finally {
      // If the loop ended early, closing the connection ends the transaction.
      connection.release('incomplete');
    }
  }

  let ended: Promise<void> | undefined;
  return {
    query: (statement, signal) => withClient((client) => client.query(statement), signal),
    transaction: (work, signal) => withClient((client) => inTransaction(client, work), signal),
    stream,
    [Symbol.asyncDispose]: () => (ended ??= pool.end()),
  };
}
