import { expect } from 'chai';
import pg from 'pg';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';

const TABLES = ['jobs', 'job_details', 'usage_hours', 'projects'];
const UID = '11111111-1111-4111-8111-111111111111';
/** SQLSTATE of a denied permission. */
const DENIED = '42501';

/** Calls of every function that runs with the permissions of the owner. */
const CALLS = {
  make_partitions: `zipjobs.make_partitions((now() AT TIME ZONE 'UTC')::date + 20, (now() AT TIME ZONE 'UTC')::date + 21)`,
  drop_oldest_partition: 'zipjobs.drop_oldest_partition(30)',
  purge_project: `zipjobs.purge_project('${UID}', 'infinity', 10)`,
  forget_deleted_projects: 'zipjobs.forget_deleted_projects(30)',
} as const;

/**
 * Objects that a function would use if it took names from the search path of its caller. Each function and operator records who called
 * it: the owner would mean that the caller had its permissions.
 */
const ATTACK = `
  CREATE TABLE attack.calls (caller text);
  GRANT ALL ON SCHEMA attack TO PUBLIC;
  GRANT ALL ON attack.calls TO PUBLIC;
  CREATE FUNCTION attack.note() RETURNS boolean LANGUAGE sql AS 'INSERT INTO attack.calls SELECT current_user; SELECT true';
  CREATE FUNCTION attack.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT attack.note(); SELECT pg_catalog.now()';
  CREATE FUNCTION attack.format(text, text) RETURNS text LANGUAGE sql
    AS $$ SELECT attack.note(); SELECT 'DROP TABLE zipjobs.projects'::text $$;
  CREATE FUNCTION attack.format(text, text, text) RETURNS text LANGUAGE sql
    AS $$ SELECT attack.note(); SELECT 'DROP TABLE zipjobs.projects'::text $$;
  CREATE FUNCTION attack.to_char(date, text) RETURNS text LANGUAGE sql AS $$ SELECT attack.note(); SELECT '20990101'::text $$;
  CREATE FUNCTION attack.right(text, integer) RETURNS text LANGUAGE sql AS $$ SELECT attack.note(); SELECT '00000101'::text $$;
  CREATE FUNCTION attack.right(name, integer) RETURNS text LANGUAGE sql AS $$ SELECT attack.note(); SELECT '00000101'::text $$;
  CREATE FUNCTION attack.make_interval(days integer) RETURNS interval LANGUAGE sql AS $$ SELECT attack.note(); SELECT '1 day'::interval $$;
  CREATE FUNCTION attack.is_less(date, date) RETURNS boolean LANGUAGE sql AS 'SELECT attack.note()';
  CREATE OPERATOR attack.< (LEFTARG = date, RIGHTARG = date, FUNCTION = attack.is_less);
  CREATE FUNCTION attack.is_less(integer, integer) RETURNS boolean LANGUAGE sql AS 'SELECT attack.note(); SELECT false';
  CREATE OPERATOR attack.< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = attack.is_less);
  CREATE FUNCTION attack.is_equal(uuid, uuid) RETURNS boolean LANGUAGE sql AS 'SELECT attack.note()';
  CREATE OPERATOR attack.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = attack.is_equal);
  CREATE TABLE attack.pg_inherits (inhrelid oid, inhparent oid);
  CREATE TABLE attack.pg_class (oid oid, relname name);
  CREATE TEMP TABLE pg_inherits (inhrelid oid, inhparent oid);
  CREATE TEMP TABLE pg_class (oid oid, relname name);
  CREATE DOMAIN pg_temp.date AS pg_catalog.text CHECK (attack.note());
  CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (attack.note());
  CREATE DOMAIN pg_temp.regclass AS pg_catalog.text CHECK (attack.note());
  SET search_path = attack, pg_temp, pg_catalog;
  SET timezone = 'Pacific/Kiritimati';
  SET datestyle = 'SQL, DMY'`;

describe('the permissions of the history', () => {
  let server: PostgresServer;
  before(async function () {
    await requirePostgres(this);
  });
  beforeEach(async () => {
    server = await createDatabase();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  async function stateOf(client: pg.ClientBase, text: string): Promise<string | undefined> {
    try {
      await client.query(text);
      return undefined;
    } catch (error) {
      return error instanceof pg.DatabaseError ? error.code : String(error);
    }
  }
  async function partitionOf(table: string): Promise<string> {
    await using owner = await server.open('owner');
    const { rows } = await owner.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'zipjobs.${table}'::regclass LIMIT 1`,
    );
    return rows[0]?.name ?? '';
  }

  it('let the writer neither delete, drop, truncate nor change a table, nor touch a partition (G9)', async () => {
    await using writer = await server.open('writer');
    for (const table of TABLES.map((name) => `zipjobs.${name}`))
      for (const text of [
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
        `DROP TABLE ${table}`,
        `ALTER TABLE ${table} ADD COLUMN more text`,
        `ALTER TABLE ${table} OWNER TO zipjobs_writer`,
        `CREATE INDEX ON ${table} (project_uid)`,
        `CREATE TRIGGER t BEFORE INSERT ON ${table} EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
      ])
        expect(await stateOf(writer, text), text).to.equal(DENIED);
    const partition = await partitionOf('jobs');
    for (const text of [
      `SELECT FROM ${partition}`,
      `DELETE FROM ${partition}`,
      `DROP TABLE ${partition}`,
      `ALTER TABLE zipjobs.jobs DETACH PARTITION ${partition}`,
      'CREATE TABLE zipjobs.mine (a integer)',
      'SELECT FROM zipjobs.migrations',
      'CREATE OR REPLACE FUNCTION zipjobs.drop_oldest_partition(retention_days integer) RETURNS text LANGUAGE sql RETURN NULL',
    ])
      expect(await stateOf(writer, text), text).to.equal(DENIED);
  });

  it('let the reader only select, and call no function', async () => {
    await using reader = await server.open('reader');
    for (const table of TABLES.map((name) => `zipjobs.${name}`)) {
      expect(await stateOf(reader, `SELECT FROM ${table}`)).to.equal(undefined);
      for (const text of [
        `INSERT INTO ${table} DEFAULT VALUES`,
        `UPDATE ${table} SET project_uid = '${UID}'`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
        `SELECT FROM ${table} FOR UPDATE`,
      ])
        expect(await stateOf(reader, text), text).to.equal(DENIED);
    }
    for (const call of Object.values(CALLS))
      expect(await stateOf(reader, `SELECT ${call}`), call).to.equal(DENIED);
    expect(await stateOf(reader, 'CREATE TABLE zipjobs.mine (a integer)')).to.equal(DENIED);
  });

  it('give other accounts nothing', async () => {
    await using administrator = await server.open('superuser');
    await administrator.query('CREATE ROLE somebody; SET ROLE somebody');
    for (const table of TABLES)
      expect(await stateOf(administrator, `SELECT FROM zipjobs.${table}`)).to.equal(DENIED);
    for (const call of Object.values(CALLS))
      expect(await stateOf(administrator, `SELECT ${call}`)).to.equal(DENIED);
    await administrator.query('RESET ROLE; DROP ROLE somebody');
  });

  it('protect every function of the schema against the search path of its caller', async () => {
    await using owner = await server.open('owner');
    const { rows } = await owner.query<{ name: string; definer: boolean; config: readonly string[] }>(
      `SELECT proname AS name, prosecdef AS definer, proconfig AS config FROM pg_proc
        WHERE pronamespace = 'zipjobs'::regnamespace ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).to.deep.equal(Object.keys(CALLS).toSorted());
    for (const { name, definer, config } of rows) {
      expect(definer, name).to.equal(true);
      expect(config, name).to.include('search_path=pg_catalog, pg_temp');
    }
  });

  for (const timezone of ['Etc/GMT-14', 'Etc/GMT+12'])
    it(`use months of UTC in a session with the time zone ${timezone}`, async () => {
      await using writer = await server.open('writer');
      await writer.query(`SET timezone = '${timezone}'; SET datestyle = 'SQL, DMY'`);
      const today = `(now() AT TIME ZONE 'UTC')::date`;
      const first = `date_trunc('month', ${today} - 80)::date`;
      await writer.query(`SELECT zipjobs.make_partitions(${first}, ${first})`);
      await using owner = await server.open('owner');
      await owner.query(`SET timezone = 'UTC'`);
      const { rows: bounds } = await owner.query<{ bound: string; wanted: string }>(
        `SELECT pg_get_expr(relpartbound, oid) AS bound,
          format('FOR VALUES FROM (%L) TO (%L)', ${first}::timestamptz, (${first} + interval '1 month')::timestamptz) AS wanted
        FROM pg_class WHERE relname = 'jobs_' || to_char(${first}, 'YYYYMM')`,
      );
      expect(bounds.map(({ bound }) => bound)).to.deep.equal([bounds[0]?.wanted]);
      function drop(days: string) {
        return writer.query<{ name: string | null }>(`SELECT zipjobs.drop_oldest_partition(${days}) AS name`);
      }
      /** The number of days since the first day of the next month. */
      const age = `${today} - (${first} + interval '1 month')::date`;
      expect((await drop(`${age} + 1`)).rows).to.deep.equal([{ name: null }]);
      const { rows: expected } = await writer.query<{ name: string }>(
        `SELECT 'zipjobs.jobs_' || to_char(${first}, 'YYYYMM') AS name`,
      );
      expect((await drop(age)).rows).to.deep.equal(expected);
      for (const table of ['job_details', 'usage_hours'])
        expect((await drop(age)).rows[0]?.name).to.contain(table);
      expect((await drop(age)).rows).to.deep.equal([{ name: null }]);
    });

  it('let objects of the writer with the names of those of the system change nothing', async () => {
    await using administrator = await server.open('superuser');
    await administrator.query('CREATE SCHEMA attack AUTHORIZATION zipjobs_writer');
    const month = `to_char((now() AT TIME ZONE 'UTC')::date - 70, 'YYYYMM')`;
    await using owner = await server.open('owner');
    await owner.query(`INSERT INTO zipjobs.projects VALUES ('${UID}', '${UID}', 'a', NULL, NULL)`);
    await owner.query(`SELECT zipjobs.make_partitions(current_date - 70, current_date - 70)`);
    const { rows } = await owner.query<{ name: string }>(`SELECT 'zipjobs.jobs_' || ${month} AS name`);
    await using writer = await server.open('writer');
    await writer.query(ATTACK);
    const today = `(pg_catalog.timezone('UTC', pg_catalog.now()))::pg_catalog.date`;
    const made = await writer.query<{ made: number }>(
      `SELECT zipjobs.make_partitions(${today} - 33, ${today} - 33) AS made`,
    );
    expect(made.rows).to.deep.equal([{ made: 3 }]);
    const dropped = await writer.query<{ name: string }>('SELECT zipjobs.drop_oldest_partition(30) AS name');
    expect(dropped.rows).to.deep.equal(rows);
    await writer.query(`SELECT zipjobs.purge_project('${UID}', 'infinity', 10)`);
    await writer.query('SELECT zipjobs.forget_deleted_projects(30)');
    const calls = await administrator.query('SELECT caller FROM attack.calls');
    expect(calls.rows).to.deep.equal([]);
    const left = await administrator.query('SELECT namespace FROM zipjobs.projects');
    expect(left.rows).to.deep.equal([{ namespace: 'a' }]);
  });
});
