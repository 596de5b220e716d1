import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import { LONGEST_TIMER_MS } from '../time/clock.ts';
import type { Trust } from '../tls/trust.ts';
import { serverTls } from './server-tls.ts';
import type { HistorySettings } from './settings.ts';

export interface PoolDeps {
  readonly log: Logger;
  readonly trust: Trust;
  /** The process, as `pg_stat_activity` of the server shows it. */
  readonly applicationName: string;
}

/** How much longer than the server the client waits for the end of a statement, before it gives up the connection. */
const RESPONSE_GRACE_MS = 2_000;
const IDLE_MS = 60_000;
/** So that a new password, certificate or primary server is used soon. */
const MAX_LIFETIME_SECONDS = 1_800;
const KEEP_ALIVE_MS = 10_000;

const INT8 = pg.types.builtins.INT8;
const TIMESTAMPTZ = pg.types.builtins.TIMESTAMPTZ;
/** The types of PostgreSQL have no name for arrays of INT8. */
const INT8_ARRAY = 1016;

function parserOf(oid: number): (text: string) => unknown {
  return pg.types.getTypeParser(oid, 'text') as (text: string) => unknown;
}

function toTime(text: string): string {
  const parsed = parserOf(TIMESTAMPTZ)(text);
  return parsed instanceof Date ? parsed.toISOString().replace('.000Z', 'Z') : text;
}

/** Counts are numbers, and times are RFC 3339 in UTC. */
const TYPES = {
  getTypeParser: (oid: number, format?: string) => {
    if (oid === INT8) return Number;
    if (oid === INT8_ARRAY)
      return (text: string) => (parserOf(INT8_ARRAY)(text) as readonly unknown[]).map(Number);
    if (oid === TIMESTAMPTZ) return toTime;
    return pg.types.getTypeParser(oid, format as 'text') as unknown;
  },
};

async function readPassword(file: string): Promise<string> {
  if (file === '') return '';
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new AppError(`HISTORY_PASSWORD_FILE: cannot read ${file}. Check the Secret with the password.`, {
      code: 'HistoryUnavailable',
      retryable: true,
      cause: error,
    });
  }
}

/**
 * A server notices only then that the client closed the connection of a running statement, and ends the statement. PostgreSQL 13 and
 * servers on Windows lack the setting: there a statement ends at its time limit.
 */
const CHECK_CONNECTION = `
   DO $$BEGIN PERFORM set_config('client_connection_check_interval', '1s', false); EXCEPTION WHEN OTHERS THEN NULL; END$$`;

/**
 * Settings of a session. They are not startup parameters, because PgBouncer refuses those. Names in our statements have a schema;
 * the search path only protects operators and functions. JIT would compile a statement for a year of partitions for seconds. A ZipJob
 * is deleted because its row was committed, so a commit must survive a crash of the server, also of one whose default is the faster
 * setting.
 */
function sessionSettings(statementTimeoutMs: number): string {
  return `SET statement_timeout = ${statementTimeoutMs}; SET idle_in_transaction_session_timeout = ${statementTimeoutMs};
   SET search_path = pg_catalog, pg_temp; SET timezone = 'UTC'; SET datestyle = 'ISO'; SET jit = off;
   SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'; ${CHECK_CONNECTION}`;
}

/**
 * Connections to the history database, made on demand. An idle connection that breaks is only logged.
 * @throws ConfigError for an invalid HISTORY_CA_FILE
 */
export function createPool(settings: HistorySettings, deps: PoolDeps): pg.Pool {
  const { historyStatementTimeoutMs: statementTimeoutMs } = settings;
  const pool = new pg.Pool({
    host: settings.historyHost,
    port: settings.historyPort,
    database: settings.historyDatabase,
    user: settings.historyUser,
    password: () => readPassword(settings.historyPasswordFile),
    ssl: serverTls(settings, deps),
    application_name: deps.applicationName,
    max: settings.historyPoolSize,
    connectionTimeoutMillis: settings.historyConnectTimeoutMs,
    query_timeout: Math.min(LONGEST_TIMER_MS, statementTimeoutMs + RESPONSE_GRACE_MS),
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: TYPES,
    onConnect: (client) =>
      client.query({
        text: sessionSettings(statementTimeoutMs),
        query_timeout: settings.historyConnectTimeoutMs,
      } as pg.QueryConfig) as unknown as undefined,
  });
  pool.on('error', (error) => deps.log.debug({ err: error }, 'a connection to the history database ended'));
  return pool;
}
