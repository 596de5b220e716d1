import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { DURATION_BOUNDS_MS } from '#runtime/history/duration-buckets.ts';
import type { HistoryEntry, HistoryJob } from '#runtime/history/history-job.ts';
import { JOB_COLUMNS, writeJobs } from '#runtime/history/write-jobs.ts';
import { markDeleted, markProjects } from '#runtime/history/write-projects.ts';
import { aHistoryEntry, aHistoryJob } from '#test/support/builders/history-jobs.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';

const SELECTED = Object.entries(JOB_COLUMNS)
  .map(([field, [column]]) => `${column} AS "${field}"`)
  .join(', ');

describe('writeJobs', () => {
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  let database: HistoryDatabase;
  /** Of one test, so that it sees only its own rows. */
  let projectUid: string;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await createDatabase());
    database = resources.use(server.connect('writer'));
  });
  after(() => resources.disposeAsync());
  beforeEach(() => {
    projectUid = randomUUID();
  });

  function entry(change: Partial<HistoryJob> = {}): HistoryEntry {
    return aHistoryEntry({ projectUid, ...change });
  }
  function entries(count: number): readonly HistoryEntry[] {
    return Array.from({ length: count }, () => entry());
  }
  function jobs() {
    return database.query<HistoryJob>({
      text: `SELECT ${SELECTED} FROM zipjobs.jobs WHERE project_uid = $1 ORDER BY uid`,
      values: [projectUid],
    });
  }
  function details() {
    return database.query<{ metadata: string; detail: string }>({
      text: 'SELECT metadata, detail FROM zipjobs.job_details WHERE project_uid = $1 ORDER BY uid',
      values: [projectUid],
    });
  }
  function usage() {
    return database.query<{
      jobs: number;
      files: number;
      bytes: number;
      durationMs: number;
      counts: readonly number[];
    }>({
      text: `SELECT jobs, files, bytes, duration_ms AS "durationMs", duration_counts AS counts FROM zipjobs.usage_hours
        WHERE project_uid = $1 ORDER BY hour, reason`,
      values: [projectUid],
    });
  }
  async function counted(): Promise<number> {
    return (await usage()).reduce((sum, row) => sum + row.jobs, 0);
  }

  it('writes every field, and returns the new rows', async () => {
    const full = entry();
    const empty = entry({
      startedAt: null,
      durationMs: null,
      createdBy: null,
      webhookState: null,
      runAgainOf: 'zip-"{},\\',
      requestSha256: null,
      key: `a\\b"c'{},NULL\n`,
    });
    expect(await writeJobs(database, [full, empty])).to.deep.equal([full.job, empty.job]);
    const expected = [full.job, empty.job].toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
    expect(await jobs()).to.deep.equal(expected);
    expect(await writeJobs(database, [])).to.deep.equal([]);
  });

  it('keeps metadata exactly as sent, with an escaped NUL too', async () => {
    const metadata = '{ "nul": "\\u0000", "a":1.0, "a":"\\ud800" }';
    await writeJobs(database, [{ ...entry(), metadata }]);
    expect(await details()).to.deep.equal([{ metadata, detail: '{}' }]);
  });

  it('counts a batch that is written twice only once (G8)', async () => {
    const batch = entries(3);
    expect(await writeJobs(database, batch)).to.have.length(3);
    expect(await writeJobs(database, batch)).to.deep.equal([]);
    expect(await jobs()).to.have.length(3);
    expect(await counted()).to.equal(3);
    expect(await writeJobs(database, [...batch, entry()])).to.have.length(1);
    expect(await counted()).to.equal(4);
  });

  it('writes each row once if the connection is lost between insert and commit (G8)', async () => {
    const batch = entries(5);
    const dying: HistoryDatabase = {
      ...database,
      transaction: (work) =>
        database.transaction(async (client) => {
          const result = await work(client);
          const [row] = await client.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
          await using administrator = await server.open('superuser');
          await administrator.query('SELECT pg_terminate_backend($1, 10000)', [row?.pid]);
          return result;
        }),
    };
    const outcome = await writeJobs(dying, batch).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(AppError).with.property('code', 'HistoryUnavailable');
    expect(await jobs()).to.deep.equal([]);
    expect(await writeJobs(database, batch)).to.have.length(5);
    expect(await jobs()).to.have.length(5);
    expect(await counted()).to.equal(5);
  });

  it('counts each job once if two writers write the same jobs at the same time (G8)', async () => {
    await using other = server.connect('writer');
    for (let round = 0; round < 10; round += 1) {
      const batch = entries(20);
      const written = await Promise.all([
        writeJobs(database, batch),
        writeJobs(other, batch.toReversed()),
        writeJobs(other, batch.slice(5, 15)),
      ]);
      expect(written.flat()).to.have.length(20);
    }
    expect(await jobs()).to.have.length(200);
    expect(await counted()).to.equal(200);
  });

  it('changes only the state of the webhook and the detail of a known row', async () => {
    const first = entry();
    await writeJobs(database, [first]);
    const late: HistoryEntry = {
      job: { ...first.job, webhookState: 'Delivered', bytes: 1, reason: 'Other' },
      metadata: '{"changed":true}',
      detail: '{"later":1}',
    };
    expect(await writeJobs(database, [late])).to.deep.equal([]);
    expect(await jobs()).to.deep.equal([{ ...first.job, webhookState: 'Delivered' }]);
    expect(await details()).to.deep.equal([{ metadata: first.metadata, detail: '{"later":1}' }]);
    expect((await usage())[0]).to.include({ jobs: 1, bytes: first.job.bytes });
  });

  it('keeps a final row when a writer that was paused stores the job as it was earlier', async () => {
    const first = entry();
    const early: HistoryEntry = { ...first, detail: '{"attempts":1}', isEarly: true };
    const final: HistoryEntry = { ...first, job: { ...first.job, webhookState: 'Delivered' }, detail: '{}' };
    await writeJobs(database, [early]);
    await writeJobs(database, [final]);
    expect(await writeJobs(database, [early])).to.deep.equal([]);
    expect(await jobs()).to.deep.equal([final.job]);
    expect(await details()).to.deep.equal([{ metadata: final.metadata, detail: '{}' }]);
    const again: HistoryEntry = { ...final, job: { ...first.job, webhookState: 'Exhausted' } };
    await writeJobs(database, [again]);
    expect(await jobs()).to.deep.equal([again.job]);
    expect(await counted()).to.equal(1);
  });

  it('does not write a known row that is the same', async () => {
    const batch = entries(2);
    await writeJobs(database, batch);
    function versions() {
      return database.query({
        text: 'SELECT xmin FROM zipjobs.jobs WHERE project_uid = $1 ORDER BY uid',
        values: [projectUid],
      });
    }
    const before = await versions();
    await writeJobs(database, batch);
    expect(await versions()).to.deep.equal(before);
  });

  it('uses the last of several entries with the same uid', async () => {
    const first = entry();
    const last = { ...first, job: { ...first.job, webhookState: 'Delivered' as const } };
    expect(await writeJobs(database, [first, last])).to.deep.equal([last.job]);
    expect(await counted()).to.equal(1);
  });

  it('adds up usage by hour, bucket, phase and reason, with a histogram of durations', async () => {
    const failed = { phase: 'Failed', reason: 'SourceNotFound', bytes: 0 } as const;
    await writeJobs(database, [
      entry({ durationMs: 1000, reason: 'a' }),
      entry({ durationMs: 1001, reason: 'a', files: 10 }),
      entry({ ...failed, durationMs: null }),
    ]);
    await writeJobs(database, [
      entry({ durationMs: 1001, reason: 'a' }),
      entry({ ...failed, durationMs: 1e12 }),
    ]);
    const none = [...DURATION_BOUNDS_MS, 0].map(() => 0);
    expect(await usage()).to.deep.equal([
      { jobs: 2, files: 6, bytes: 0, durationMs: 1e12, counts: none.with(-1, 1) },
      { jobs: 3, files: 16, bytes: 3 * 4096, durationMs: 3002, counts: none.with(0, 1).with(1, 2) },
    ]);
  });

  it('adds to a histogram that an older version wrote with fewer bounds', async () => {
    await writeJobs(database, [entry({ durationMs: 1000 })]);
    await database.query({
      text: `UPDATE zipjobs.usage_hours SET duration_counts = '{1,1}' WHERE project_uid = $1`,
      values: [projectUid],
    });
    await writeJobs(database, [entry({ durationMs: 1e12 })]);
    const none = [...DURATION_BOUNDS_MS, 0].map(() => 0);
    expect((await usage())[0]?.counts).to.deep.equal(none.with(0, 1).with(1, 1).with(-1, 1));
  });

  it('makes the partitions of months that have none', async () => {
    const late = [
      entry({ finishedAt: '2026-01-31T23:59:59Z' }),
      entry({ finishedAt: '2026-02-01T00:00:00Z' }),
    ];
    expect(await writeJobs(database, [...late, entry()])).to.have.length(3);
    expect(await writeJobs(database, late)).to.deep.equal([]);
    expect(await counted()).to.equal(3);
  });

  it('writes a job of a month whose jobs were dropped, but not yet their details (BC20)', async () => {
    const first = entry({ finishedAt: '2026-01-05T12:00:00Z' });
    await writeJobs(database, [first]);
    await using administrator = await server.open('superuser');
    await administrator.query('DROP TABLE zipjobs.jobs_202601');
    expect(await jobs()).to.deep.equal([]);
    const again = { ...first, detail: '{"later":1}' };
    expect(await writeJobs(database, [again])).to.deep.equal([again.job]);
    expect(await jobs()).to.deep.equal([again.job]);
    expect(await details()).to.deep.equal([{ metadata: again.metadata, detail: '{"later":1}' }]);
  });

  for (const [finishedAt, position] of [
    ['2126-01-01T00:00:00Z', 'more than 31 days ahead of'],
    ['2006-01-01T00:00:00Z', 'more than 3,660 days behind'],
  ] as const)
    it(`names the clock of a day that is ${position} it, with an error that may be repeated`, async () => {
      const outcome = await writeJobs(database, [entry({ finishedAt })]).catch((error: unknown) => error);
      expect(outcome)
        .to.be.instanceOf(AppError)
        .and.include({ code: 'HistoryClockDiffers', retryable: true });
      expect(outcome)
        .to.have.property('message')
        .that.contains(`the day ${finishedAt.slice(0, 10)} is ${position} the clock of PostgreSQL (20`)
        .and.contains('Correct');
      expect(await counted()).to.equal(0);
    });
});

describe('projects of the history', () => {
  const resources = new AsyncDisposableStack();
  let database: HistoryDatabase;
  before(async function () {
    await requirePostgres(this);
    database = resources.use(resources.use(await createDatabase()).connect('writer'));
  });
  after(() => resources.disposeAsync());

  function rows() {
    return database.query<{ days: number | null; deleted: string | null }>({
      text: 'SELECT namespace, retention_days AS days, deleted_at AS deleted FROM zipjobs.projects ORDER BY namespace',
    });
  }

  it('have their last retention and the first time of their deletion', async () => {
    const { projectUid, clusterUid } = aHistoryJob();
    const project = { projectUid, clusterUid, namespace: 'team-a' };
    await markProjects(database, [{ ...project, retentionDays: 30 }]);
    await markProjects(database, [{ ...project, retentionDays: null }]);
    expect(await rows()).to.deep.equal([{ namespace: 'team-a', days: null, deleted: null }]);
    await markDeleted(database, project);
    const [first] = await rows();
    expect(first?.deleted).to.be.a('string');
    await markDeleted(database, project);
    await markProjects(database, [{ ...project, retentionDays: 7 }]);
    expect(await rows()).to.deep.equal([{ ...first, days: 7 }]);
    await markDeleted(database, { ...project, projectUid: clusterUid, namespace: 'unknown' });
    expect((await rows())[1]?.deleted).to.be.a('string');
  });
});
