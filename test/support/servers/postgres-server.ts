import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '#controller/migrate/migrate.ts';
import { createHistoryDatabase, type HistoryDatabase } from '#runtime/history/database.ts';
import { HISTORY_SETTINGS, type HistorySettings } from '#runtime/history/settings.ts';
import { createLogger } from '#runtime/log.ts';
import { readConfig } from '#runtime/read-config.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { type PostgresProcess, SUPERUSER, startPostgresProcess } from './postgres-process.ts';
import { PRIVATE_TLS } from './private-tls.ts';

/** The account of a role: `owner` for migrations, `writer` for the controller, `reader` for the API and the dashboard. */
export type HistoryRole = 'owner' | 'writer' | 'reader';

const HISTORY_ROLES = { writer: 'zipjobs_writer', reader: 'zipjobs_reader' } as const;

const DATABASE = 'zipjobs';
const QUIET = createLogger('test', { level: 'silent' });

/** What the administrator of the database server does once. */
const PREPARATION = (['owner', 'writer', 'reader'] as const)
  .map((role) => `CREATE ROLE zipjobs_${role} LOGIN PASSWORD '${role}-secret';`)
  .join('\n');

export interface PostgresServer extends PostgresProcess {
  /** Variables of a process with this role. */
  env(role: HistoryRole): Readonly<Record<string, string>>;
  settings(role: HistoryRole, change?: Readonly<Record<string, string>>): HistorySettings;
  /** A connection pool, which the caller ends. */
  connect(role: HistoryRole, change?: Readonly<Record<string, string>>): HistoryDatabase;
  /** One connection, for statements of other accounts and databases. */
  open(role: HistoryRole | 'superuser'): Promise<pg.Client & AsyncDisposable>;
  /** Applies the migrations of a folder (default: all of ours). Returns the names of those that were new. */
  migrate(folder?: string, options?: { readonly lockTimeoutMs?: number }): Promise<readonly string[]>;
  /** Removes schema and rows, without migrations. */
  clear(): Promise<void>;
}

/** A real PostgreSQL with the three roles, without the schema. TLS clients verify its certificate. */
export const startEmptyPostgres = async (options: readonly string[] = []): Promise<PostgresServer> => {
  const server = await startPostgresProcess(options);
  const { port, directory } = server;
  const env = (role: HistoryRole): Readonly<Record<string, string>> => ({
    HISTORY_HOST: '127.0.0.1',
    HISTORY_PORT: `${port}`,
    HISTORY_DATABASE: DATABASE,
    HISTORY_USER: `zipjobs_${role}`,
    HISTORY_PASSWORD_FILE: join(directory, `${role}-password`),
    HISTORY_CA_FILE: PRIVATE_TLS.authorityPath,
  });
  const settings = (role: HistoryRole, change = {}): HistorySettings =>
    readConfig(HISTORY_SETTINGS, { ...env(role), ...change });
  const open = async (role: HistoryRole | 'superuser', database = DATABASE) => {
    const account =
      role === 'superuser' ? SUPERUSER : { user: `zipjobs_${role}`, password: `${role}-secret` };
    const client = new pg.Client({ host: '127.0.0.1', port, database, ssl: false, ...account });
    client.on('error', () => undefined);
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  };
  const clear = async (): Promise<void> => {
    await using administrator = await open('superuser');
    await administrator.query(
      'DROP SCHEMA IF EXISTS zipjobs CASCADE; CREATE SCHEMA zipjobs AUTHORIZATION zipjobs_owner',
    );
  };
  const prepare = async (): Promise<void> => {
    for (const role of ['owner', 'writer', 'reader'])
      await writeFile(join(directory, `${role}-password`), `${role}-secret\n`);
    await using administrator = await open('superuser', 'postgres');
    await administrator.query(PREPARATION);
    await administrator.query(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`);
    await clear();
  };
  try {
    await prepare();
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return {
    ...server,
    env,
    settings,
    open: (role) => open(role),
    clear,
    connect: (role, change) =>
      createHistoryDatabase(settings(role, change), {
        log: QUIET,
        trust: BUILT_IN_TRUST,
        applicationName: 'test',
      }),
    migrate: async (folder, { lockTimeoutMs = 5_000 } = {}) => {
      await using owner = await open('owner');
      const options = { log: QUIET, roles: HISTORY_ROLES, lockTimeoutMs };
      return await migrate(owner, { ...options, ...(folder !== undefined && { folder }) });
    },
  };
};

/** The same with all migrations applied. `options` are settings of the server, such as `fsync=on`. */
export const startPostgres = async (options: readonly string[] = []): Promise<PostgresServer> => {
  const server = await startEmptyPostgres(options);
  try {
    await server.migrate();
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
};
