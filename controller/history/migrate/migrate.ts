import { join } from 'node:path';
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate';
import type pg from 'pg';
import { ConfigError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { grant, type Roles } from './grants.ts';

export interface MigrateOptions {
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn'>;
  readonly roles: Roles;
  readonly lockTimeoutMs: number;
  /** Folder of the SQL files; ours by default. */
  readonly folder?: string;
}

const SCHEMA = 'zipjobs';
const OURS = join(import.meta.dirname, 'migrations');
/** The first with everything that the migrations use. */
const OLDEST_SERVER = 13;
/** Partitions that exist after each run. The controller makes those of later days, and those of older days when it needs them. */
const FIRST_DAY = -1;
const LAST_DAY = 14;

async function requireServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding`,
  );
  const version = Math.floor(Number(rows[0]?.version) / 10_000);
  const encoding = rows[0]?.encoding;
  if (version < OLDEST_SERVER)
    throw new ConfigError(
      `The database server has version ${version}. Version ${OLDEST_SERVER} or newer is needed.`,
    );
  if (encoding !== 'UTF8')
    throw new ConfigError(
      `The database has the encoding ${encoding}, which cannot store every key. Create it with TEMPLATE template0 ENCODING 'UTF8'.`,
    );
}

/** CREATE SCHEMA IF NOT EXISTS needs the permission to create it, even if it exists. */
async function createSchema(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ mayCreate: boolean }>(
    `SELECT has_schema_privilege(oid, 'CREATE') AS "mayCreate" FROM pg_catalog.pg_namespace WHERE nspname = $1`,
    [SCHEMA],
  );
  if (rows[0] === undefined) await client.query(`CREATE SCHEMA ${SCHEMA}`);
  else if (!rows[0].mayCreate)
    throw new ConfigError(
      `The role of HISTORY_USER has no permission to create tables in the schema "${SCHEMA}". Use the role that owns the schema.`,
    );
}

async function applyFiles(client: pg.ClientBase, { log, folder = OURS }: MigrateOptions) {
  function say(level: 'debug' | 'warn') {
    return (message: string) => log[level](message);
  }
  return await runner({
    dbClient: client,
    dir: folder,
    direction: 'up',
    migrationsSchema: SCHEMA,
    migrationsTable: 'migrations',
    // Each file is a transaction of its own, so that locks are held briefly and an interrupted run continues where it stopped.
    singleTransaction: false,
    advisoryLockMode: 'wait',
    logger: { debug: say('debug'), info: say('debug'), warn: say('warn'), error: say('warn') },
  });
}

async function makePartitions(client: pg.ClientBase): Promise<number> {
  const today = `(now() AT TIME ZONE 'UTC')::date`;
  const { rows } = await client.query<{ made: number }>(
    `SELECT zipjobs.make_partitions(${today} + ${FIRST_DAY}, ${today} + ${LAST_DAY}) AS made`,
  );
  return rows[0]?.made ?? 0;
}

/**
 * Applies the SQL files that the database does not have, in their order, grants the permissions of the two roles and makes the first
 * partitions. A repetition does nothing. Runs at the same time wait for each other, for at most the lock timeout. After an error, close
 * the connection, which ends the transaction and releases the lock.
 * @throws ConfigError, or the error of the server
 */
export async function migrate(client: pg.ClientBase, options: MigrateOptions): Promise<readonly string[]> {
  const { log, roles, lockTimeoutMs } = options;
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  await requireServer(client);
  // The runner takes and releases this lock once more.
  await client.query(`SELECT pg_advisory_lock(${PG_MIGRATE_LOCK_ID})`);
  await createSchema(client);
  const applied = (await applyFiles(client, options)).map(({ name }) => name);
  await grant(client, roles);
  const partitions = await makePartitions(client);
  await client.query(`SELECT pg_advisory_unlock(${PG_MIGRATE_LOCK_ID})`);
  log.info(
    { applied, partitions, ...roles },
    applied.length === 0 ? 'the schema is up to date' : 'the schema was migrated',
  );
  return applied;
}
