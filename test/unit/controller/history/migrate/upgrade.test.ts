import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { deleteExpired } from '#runtime/history/keep.ts';
import { createSteps } from '#runtime/history/steps.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import { aHistoryEntry } from '#test/support/builders/history-jobs.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase, createEmptyDatabase } from '#test/support/servers/test-database.ts';
import { until } from '#test/support/until.ts';

/** Our migrations, and those of a later version. */
function withLater(later: Readonly<Record<string, string>>): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'zipjobs-migrations-'));
  cpSync('controller/history/migrate/migrations', path, { recursive: true });
  for (const [name, text] of Object.entries(later)) writeFileSync(join(path, `${name}.sql`), text);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** A change that the program of this version must survive: migrations only add what it does not need. */
const NEXT = {
  '9000-next': `ALTER TABLE zipjobs.jobs ADD COLUMN zone text; CREATE INDEX ON zipjobs.jobs (project_uid, zone);
    ALTER TABLE zipjobs.usage_hours ADD COLUMN retries bigint NOT NULL DEFAULT 0`,
};

describe('an upgrade of the history', () => {
  let life: AsyncDisposableStack;
  let server: PostgresServer;
  let database: HistoryDatabase;
  before(async function () {
    await requirePostgres(this);
  });
  beforeEach(async () => {
    life = new AsyncDisposableStack();
    server = life.use(await createDatabase());
    database = life.use(server.connect('writer'));
  });
  afterEach(() => life.disposeAsync());

  async function tableExists(name: string): Promise<boolean> {
    await using owner = await server.open('owner');
    return (await owner.query('SELECT WHERE to_regclass($1) IS NOT NULL', [name])).rowCount === 1;
  }
  async function countJobs(): Promise<number> {
    return (await database.query({ text: 'SELECT FROM zipjobs.jobs' })).length;
  }

  it('keeps the rows of the version before, whose program continues to write beside it and after it', async () => {
    const old = [aHistoryEntry(), aHistoryEntry()];
    await writeJobs(database, old);
    using next = withLater(NEXT);
    const writing = Promise.all(Array.from({ length: 20 }, () => writeJobs(database, [aHistoryEntry()])));
    expect(await server.migrate(next.path)).to.deep.equal(['9000-next']);
    await writing;
    expect(await writeJobs(database, [...old, aHistoryEntry()])).to.have.length(1);
    expect(await countJobs()).to.equal(23);
    const limits = { mostTables: 1, batchRows: 1, mostBatches: 1 };
    const steps = createSteps(new AbortController().signal);
    const { clusterUid = '' } = old[0]?.job ?? {};
    expect(await deleteExpired(database, { clusterUid, retentionDays: 1, ...limits }, steps)).to.include({
      isComplete: true,
    });
    steps.check();
  });

  it('leaves partitions that are made later with the columns and indexes of the later version', async () => {
    using next = withLater(NEXT);
    await server.migrate(next.path);
    const late = aHistoryEntry({ finishedAt: '2026-01-02T03:04:05Z' });
    await writeJobs(database, [late]);
    const rows = await database.query({
      text: `SELECT zone FROM zipjobs.jobs WHERE finished_at < '2026-01-03Z'`,
    });
    expect(rows).to.deep.equal([{ zone: null }]);
  });

  it('is not undone by the migrations of the version before, after a rollback of the chart', async () => {
    using next = withLater(NEXT);
    await server.migrate(next.path);
    expect(await server.migrate()).to.deep.equal([]);
    expect(await writeJobs(database, [aHistoryEntry()])).to.have.length(1);
  });

  it('leaves nothing of a file that fails, and repeats it after it was corrected', async () => {
    using wrong = withLater({
      '9000-first': 'CREATE TABLE zipjobs.first (a integer)',
      '9001-second': 'CREATE TABLE zipjobs.second (a integer); SELECT 1 / 0',
    });
    expect(await server.migrate(wrong.path).catch((error: unknown) => error)).to.have.property(
      'code',
      '22012',
    );
    expect([await tableExists('zipjobs.first'), await tableExists('zipjobs.second')]).to.deep.equal([
      true,
      false,
    ]);
    using right = withLater({
      '9000-first': 'CREATE TABLE zipjobs.first (a integer)',
      '9001-second': 'CREATE TABLE zipjobs.second (a integer)',
    });
    expect(await server.migrate(right.path)).to.deep.equal(['9001-second']);
  });

  it('leaves nothing of a file that was interrupted, and repeats it', async () => {
    using slow = withLater({ '9000-slow': 'CREATE TABLE zipjobs.slow (a integer); SELECT pg_sleep(60)' });
    const interrupted = server.migrate(slow.path).catch((error: unknown) => error);
    await using administrator = await server.open('superuser');
    await until('the migration to run, and to be interrupted', async () => {
      const { rowCount } = await administrator.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'zipjobs_owner' AND wait_event = 'PgSleep'`,
      );
      return rowCount === 1;
    });
    expect(await interrupted).to.be.instanceOf(Error);
    expect(await tableExists('zipjobs.slow')).to.equal(false);
    using quick = withLater({ '9000-slow': 'CREATE TABLE zipjobs.slow (a integer)' });
    expect(await server.migrate(quick.path)).to.deep.equal(['9000-slow']);
  });

  it('is applied once if two migrations run at the same time', async () => {
    await using empty = await createEmptyDatabase();
    const applied = await Promise.all([empty.migrate(), empty.migrate()]);
    expect(applied.map((names) => names.length).toSorted((a, b) => a - b)[0]).to.equal(0);
    expect(applied.flat()).to.have.length.above(0);
    await using writer = empty.connect('writer');
    expect(await writeJobs(writer, [aHistoryEntry()])).to.have.length(1);
  });

  it('gives up a lock that it does not get in time, so that writers do not queue behind it', async () => {
    using next = withLater(NEXT);
    await using reader = await server.open('reader');
    await reader.query('BEGIN; SELECT FROM zipjobs.jobs');
    const refused = await server.migrate(next.path, { lockTimeoutMs: 50 }).catch((error: unknown) => error);
    expect(refused).to.have.property('code', '55P03');
    expect(await writeJobs(database, [aHistoryEntry()])).to.have.length(1);
    await reader.query('COMMIT');
    expect(await server.migrate(next.path)).to.deep.equal(['9000-next']);
  });
});
