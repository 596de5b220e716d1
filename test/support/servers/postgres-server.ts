import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '#controller/history/migrate/migrate.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import { createHistoryDatabase, type HistoryDatabase } from '#runtime/history/database.ts';
import { HISTORY_CONSTANTS, HISTORY_SETTINGS, type HistorySettings } from '#runtime/history/settings.ts';
import { createLogger } from '#runtime/log/log.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { type ConfigChange, changedConfig } from '../builders/changed-config.ts';
import {
  type PostgresOptions,
  type PostgresProcess,
  SUPERUSER,
  startPostgresProcess,
} from './postgres-process.ts';
import { PRIVATE_TLS } from './private-tls.ts';

/** The account of a role: `owner` for migrations, `writer` for the controller, `reader` for the API and the dashboard. */
export type HistoryRole = 'owner' | 'writer' | 'reader';

const HISTORY_ROLES = { writer: 'zipjobs_writer', reader: 'zipjobs_reader' } as const;

const QUIET = createLogger('test', { level: 'silent' });

/** What the administrator of the database server does once. */
const PREPARATION = (['owner', 'writer', 'reader'] as const)
  .map((role) => `CREATE ROLE zipjobs_${role} LOGIN PASSWORD '${role}-secret';`)
  .join('\n');

/** A database with the three roles, and its server. TLS clients verify the certificate of the server. */
export interface PostgresServer extends PostgresProcess {
  /** The name of the database. */
  readonly database: string;
  /** Variables of a process with this role. */
  env(role: HistoryRole): Readonly<Record<string, string>>;
  settings(role: HistoryRole, change?: ConfigChange): HistorySettings;
  /** A connection pool, which the caller ends. */
  connect(role: HistoryRole, change?: ConfigChange): HistoryDatabase;
  /** One connection, for statements of other accounts and databases. */
  open(role: HistoryRole | 'superuser'): Promise<pg.Client & AsyncDisposable>;
  /** Applies the migrations of a folder (default: all of ours). Returns the names of those that were new. */
  migrate(folder?: string, options?: { readonly lockTimeoutMs?: number }): Promise<readonly string[]>;
}

export async function openDatabase(
  port: number,
  database: string,
  account: { readonly user: string; readonly password: string } = SUPERUSER,
): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ host: '127.0.0.1', port, database, ssl: false, ...account });
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Starts a server with the roles. */
export async function startServer(options: PostgresOptions): Promise<PostgresProcess> {
  await using starting = new AsyncDisposableStack();
  const server = starting.use(await startPostgresProcess(options));
  for (const role of ['owner', 'writer', 'reader'])
    await writeFile(join(server.directory, `${role}-password`), `${role}-secret\n`);
  await using administrator = await openDatabase(server.port, 'postgres');
  await administrator.query(PREPARATION);
  starting.move();
  return server;
}

/** Creates a database with an empty schema. */
export async function createEmpty({ port }: PostgresProcess, database: string): Promise<void> {
  await using administrator = await openDatabase(port, 'postgres');
  await administrator.query(`CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8'`);
  await using owner = await openDatabase(port, database);
  await owner.query('CREATE SCHEMA zipjobs AUTHORIZATION zipjobs_owner');
}

async function migrateDatabase(
  { open }: Pick<PostgresServer, 'open'>,
  folder?: string,
  lockTimeoutMs = 5_000,
): Promise<readonly string[]> {
  await using owner = await open('owner');
  const options = { log: QUIET, roles: HISTORY_ROLES, lockTimeoutMs };
  return await migrate(owner, { ...options, ...(folder !== undefined && { folder }) });
}

export function withDatabase(server: PostgresProcess, database: string): PostgresServer {
  const { port, directory } = server;
  function env(role: HistoryRole): Readonly<Record<string, string>> {
    return {
      HISTORY_HOST: '127.0.0.1',
      HISTORY_PORT: `${port}`,
      HISTORY_DATABASE: database,
      HISTORY_USER: `zipjobs_${role}`,
      HISTORY_PASSWORD_FILE: join(directory, `${role}-password`),
      HISTORY_CA_FILE: PRIVATE_TLS.authorityPath,
    };
  }
  function settings(role: HistoryRole, change: ConfigChange = {}): HistorySettings {
    return changedConfig((given) => readConfig(HISTORY_SETTINGS, given, HISTORY_CONSTANTS), {
      ...env(role),
      ...change,
    });
  }
  function open(role: HistoryRole | 'superuser') {
    return role === 'superuser'
      ? openDatabase(port, database)
      : openDatabase(port, database, { user: `zipjobs_${role}`, password: `${role}-secret` });
  }
  return {
    ...server,
    database,
    env,
    settings,
    open,
    connect: (role, change) =>
      createHistoryDatabase(settings(role, change), {
        log: QUIET,
        trust: BUILT_IN_TRUST,
        applicationName: 'test',
      }),
    migrate: (folder, { lockTimeoutMs } = {}) => migrateDatabase({ open }, folder, lockTimeoutMs),
  };
}

/** A PostgreSQL with a migrated database, for one caller. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  await using starting = new AsyncDisposableStack();
  const process = starting.use(await startServer(options));
  await createEmpty(process, 'zipjobs');
  const server = withDatabase(process, 'zipjobs');
  await server.migrate();
  starting.move();
  return server;
}
