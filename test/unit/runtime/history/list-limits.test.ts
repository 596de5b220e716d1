import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { createJobLists, type JobLists } from '#runtime/history/list-jobs.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { randomHistoryJobs, storeHistoryJobs, uuidOf } from '#test/support/builders/history-rows.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { until } from '#test/support/until.ts';

const PROJECT = uuidOf(1, 1);

/** The code of the error; empty without one. */
function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => '',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
}

describe('limits of list-jobs', () => {
  const open = new AsyncDisposableStack();
  let server: PostgresServer;
  let reader: HistoryDatabase;
  let lists: JobLists;

  before(async function () {
    await requirePostgres(this);
    server = open.use(await createDatabase());
    await using writer = server.connect('writer');
    await storeHistoryJobs(writer, randomHistoryJobs(1, 1_200, { now: new Date(), days: 2 }));
    reader = open.use(server.connect('reader'));
    lists = createJobLists({ database: reader, clock: systemClock, searchMs: 60_000 });
  });

  after(() => open.disposeAsync());

  it('uses no connection between two batches, and reads no further when the consumer stops', async () => {
    await using single = server.connect('reader', {
      HISTORY_POOL_SIZE: '1',
      historyConnectTimeoutMs: 1000,
    });
    let queries = 0;
    const database: Pick<HistoryDatabase, 'query'> = {
      query: (statement, signal) => {
        queries += 1;
        return single.query(statement, signal);
      },
    };
    const few = createJobLists({ database, clock: systemClock, searchMs: 60_000 });
    for await (const batch of few.streamJobs({ projectUid: PROJECT })) {
      expect(batch).not.to.deep.equal([]);
      expect(await single.query({ text: 'SELECT 1' })).to.have.length(1);
      break;
    }
    // One scan, one look at the metadata.
    expect(queries).to.equal(2);
  });

  /** The statements that the reader runs, as the server sees them. */
  async function running(): Promise<number> {
    await using administrator = await server.open('superuser');
    const { rowCount } = await administrator.query(
      `SELECT FROM pg_stat_activity WHERE usename = 'zipjobs_reader' AND state = 'active'`,
    );
    return rowCount ?? 0;
  }

  it('ends a cancelled statement on the server', async () => {
    await using blocker = await server.open('owner');
    await blocker.query('BEGIN; LOCK TABLE zipjobs.jobs IN ACCESS EXCLUSIVE MODE');
    const abort = new AbortController();
    const listed = lists
      .listJobs({ projectUid: PROJECT }, { limit: 25, signal: abort.signal })
      .catch((error: unknown) => error);
    await until('the statement to run', async () => (await running()) === 1);
    abort.abort(new Error('the user left'));
    expect(await listed).to.have.property('message', 'the user left');
    await until('the statement to end', async () => (await running()) === 0, { limitMs: 8_000 });
  });

  it('reports a statement that takes too long as HistoryUnavailable', async () => {
    await using blocker = await server.open('owner');
    await blocker.query('BEGIN; LOCK TABLE zipjobs.jobs IN ACCESS EXCLUSIVE MODE');
    await using limited = server.connect('reader', { historyStatementTimeoutMs: 200 });
    const limitedLists = createJobLists({ database: limited, clock: systemClock, searchMs: 250 });
    expect(await codeOf(limitedLists.listJobs({ projectUid: PROJECT }, { limit: 25 }))).to.equal(
      'HistoryUnavailable',
    );
    await blocker.query('ROLLBACK');
    expect(await codeOf(limitedLists.listJobs({ projectUid: PROJECT }, { limit: 25 }))).to.equal('');
  });

  it('does not let the server compile statements, which takes seconds for a year of partitions', async () => {
    expect(await reader.query({ text: 'SHOW jit' })).to.deep.equal([{ jit: 'off' }]);
  });

  it('refuses filters and cursors that PostgreSQL would refuse, before it sends anything', async () => {
    const filters: readonly Partial<JobFilter>[] = [
      { key: 'a\0b' },
      { createdBy: 'a'.repeat(3_000) },
      { key: '*'.repeat(2_000) },
      { idPrefix: '0198b%' },
      { reasons: Array<string>(101).fill('a') },
      { finishedAfter: new Date(Number.NaN) },
      { finishedBefore: new Date('+012345-01-01T00:00:00Z') },
    ];
    const offline = createJobLists({
      database: { query: () => Promise.reject(new Error('sent')) },
      clock: systemClock,
      searchMs: 250,
    });
    for (const filter of filters)
      expect(await codeOf(offline.listJobs({ projectUid: PROJECT, ...filter }, { limit: 25 }))).to.equal(
        'InvalidFilter',
      );
    expect(await codeOf(offline.listJobs({ projectUid: PROJECT }, { limit: 25, cursor: 'a' }))).to.equal(
      'InvalidCursor',
    );
  });
});
