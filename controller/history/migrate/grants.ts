import pg from 'pg';
import { ConfigError } from '#runtime/errors.ts';

export interface Roles {
  readonly writer: string;
  readonly reader: string;
}

const TABLES = ['jobs', 'job_details', 'usage_hours', 'projects'].map((name) => `zipjobs.${name}`).join(', ');

async function requireRole(client: pg.ClientBase, [role, setting]: readonly [string, string]): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_catalog.pg_roles WHERE rolname = $1', [role]);
  if (rowCount === 0)
    throw new ConfigError(
      `The role ${pg.escapeIdentifier(role)} does not exist on the database server. Create it as an administrator, or correct ${setting}.`,
    );
}

/**
 * Lets the writer insert and update rows and call our functions, and the reader only select. Nobody else may call the functions.
 * @throws ConfigError if a role does not exist
 */
export async function grant(client: pg.ClientBase, { writer, reader }: Roles): Promise<void> {
  await requireRole(client, [writer, 'HISTORY_WRITER_ROLE']);
  await requireRole(client, [reader, 'HISTORY_READER_ROLE']);
  const [toWriter, toReader] = [writer, reader].map((role) => `TO ${pg.escapeIdentifier(role)}`);
  const statements = [
    'REVOKE ALL ON SCHEMA zipjobs FROM PUBLIC',
    'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA zipjobs FROM PUBLIC',
    `GRANT USAGE ON SCHEMA zipjobs ${toWriter}`,
    `GRANT USAGE ON SCHEMA zipjobs ${toReader}`,
    `GRANT SELECT, INSERT, UPDATE ON ${TABLES} ${toWriter}`,
    `GRANT SELECT ON ${TABLES} ${toReader}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA zipjobs ${toWriter}`,
  ];
  await client.query('BEGIN');
  for (const statement of statements) await client.query(statement);
  await client.query('COMMIT');
}
