import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rfc3339 } from '#crds/conditions.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import {
  deleteExpired,
  dropOldPartitions,
  makePartitionsAhead,
  partitionDaysAhead,
  purgeProject,
} from '#runtime/history/keep.ts';
import { createSteps } from '#runtime/history/steps.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import { markDeleted, markProjects } from '#runtime/history/write-projects.ts';
import { aHistoryEntry } from '#test/support/builders/history-jobs.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { until } from '#test/support/until.ts';

const DAY_MS = 86_400_000;

function daysAgo(days: number): string {
  return rfc3339(new Date(Date.now() - days * DAY_MS));
}

function dayName(days: number): string {
  return daysAgo(days).slice(0, 10).replaceAll('-', '');
}

describe('the retention of the history', () => {
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

  const clusterUid = randomUUID();
  const [projectUid, otherUid] = [randomUUID(), randomUUID()];
  const LIMITS = { batchRows: 2, mostBatches: 100 };
  const EXPIRED = { ...LIMITS, clusterUid, retentionDays: 30, mostTables: 90 };
  async function expire(change: Partial<typeof EXPIRED> = {}) {
    const steps = createSteps(new AbortController().signal);
    const deleted = await deleteExpired(database, { ...EXPIRED, ...change }, steps);
    steps.check();
    return deleted;
  }

  function write(uid: string, days: readonly number[]) {
    return writeJobs(
      database,
      days.map((ago) => aHistoryEntry({ projectUid: uid, clusterUid, finishedAt: daysAgo(ago) })),
    );
  }
  /** Rows of a project by table. */
  async function countOf(uid: string): Promise<readonly number[]> {
    const counts = ['jobs', 'job_details', 'usage_hours'].map(
      (table) => `(SELECT count(*)::integer FROM zipjobs.${table} WHERE project_uid = $1)`,
    );
    const [row] = await database.query<{ counts: readonly number[] }>({
      text: `SELECT ARRAY[${counts.join(', ')}] AS counts`,
      values: [uid],
    });
    return row?.counts ?? [];
  }

  it('makes partitions until 14 days ahead, and says for how many days they are enough', async () => {
    expect(await partitionDaysAhead(database)).to.equal(14);
    expect(await makePartitionsAhead(database)).to.equal(0);
    await using owner = await server.open('owner');
    for (const table of ['jobs', 'job_details', 'usage_hours'])
      await owner.query(`DROP TABLE zipjobs.${table}_${dayName(-5)}`);
    expect(await partitionDaysAhead(database)).to.equal(4);
    expect(await makePartitionsAhead(database)).to.equal(3);
    expect(await partitionDaysAhead(database)).to.equal(14);
  });

  it('drops whole partitions of which all rows are older than the retention, oldest first, within a limit (G9)', async () => {
    await write(projectUid, [30, 31, 33]);
    function names(days: number) {
      return ['jobs', 'job_details', 'usage_hours'].map((table) => `zipjobs.${table}_${dayName(days)}`);
    }
    expect(await dropOldPartitions(database, { retentionDays: 30, mostTables: 3 })).to.deep.equal(names(33));
    expect(await dropOldPartitions(database, { retentionDays: 30, mostTables: 9 })).to.deep.equal(names(31));
    expect(await dropOldPartitions(database, { retentionDays: 30, mostTables: 9 })).to.deep.equal([]);
    expect(await countOf(projectUid)).to.deep.equal([1, 1, 1]);
  });

  it('lets readers continue within a second while a partition cannot be dropped (G8)', async () => {
    await write(projectUid, [0, 33]);
    await using long = await server.open('reader');
    await long.query('BEGIN; SELECT FROM zipjobs.jobs');
    let isOver = false;
    const drop = dropOldPartitions(database, { retentionDays: 30, mostTables: 1 })
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    await using reader = await server.open('reader');
    await reader.query(`SET lock_timeout = '1s'`);
    async function isWaiting(): Promise<boolean> {
      return (await reader.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount !== 0;
    }
    await until('the drop to wait', async () => isOver || (await isWaiting()));
    expect((await reader.query('SELECT FROM zipjobs.jobs')).rowCount).to.equal(2);
    await writeJobs(database, [aHistoryEntry({ projectUid, clusterUid })]);
    expect(await drop).to.include({ code: 'HistoryUnavailable', retryable: true });
    await long.query('COMMIT');
    expect(await dropOldPartitions(database, { retentionDays: 30, mostTables: 1 })).to.have.length(1);
  });

  it('refuses a retention of less than a day (G9)', async () => {
    for (const retentionDays of [0, -1])
      expect(
        await dropOldPartitions(database, { retentionDays, mostTables: 1 }).catch((error: unknown) => error),
      ).to.have.property('code', 'HistoryRefused');
  });

  it('deletes the jobs of a project before a time in batches, with details and usage, and of no other (G9)', async () => {
    await write(projectUid, [1, 2, 3, 4, 5]);
    await write(otherUid, [1, 2, 3, 4, 5]);
    function purge(mostBatches: number) {
      return purgeProject(database, { projectUid, endedBefore: daysAgo(1.5) }, { batchRows: 2, mostBatches });
    }
    expect(await purge(1)).to.deep.equal({ rows: 2, isComplete: false });
    expect(await countOf(projectUid)).to.deep.equal([3, 3, 5]);
    expect(await purge(100)).to.deep.equal({ rows: 2 + 4, isComplete: true });
    expect(await countOf(projectUid)).to.deep.equal([1, 1, 1]);
    expect(await countOf(otherUid)).to.deep.equal([5, 5, 5]);
    expect(await purgeProject(database, { projectUid, endedBefore: 'infinity' }, LIMITS)).to.include({
      rows: 2,
    });
    expect(await countOf(projectUid)).to.deep.equal([0, 0, 0]);
  });

  it('applies the retention of each project and of the installation, and deletes everything of a deleted project (G9)', async () => {
    const deletedUid = randomUUID();
    for (const uid of [projectUid, otherUid, deletedUid]) await write(uid, [0, 8, 40]);
    const project = { clusterUid, namespace: 'team-a' };
    await markProjects(database, [{ ...project, projectUid, retentionDays: 7 }]);
    await markProjects(database, [{ ...project, projectUid: otherUid, retentionDays: 60 }]);
    await markDeleted(database, { ...project, projectUid: deletedUid });
    expect(await expire()).to.deep.equal({
      partitionsDropped: 3,
      rowsPurged: 2 + 4,
      isComplete: true,
    });
    expect(await countOf(projectUid)).to.deep.equal([1, 1, 1]);
    expect(await countOf(otherUid)).to.deep.equal([2, 2, 2]);
    expect(await countOf(deletedUid)).to.deep.equal([0, 0, 0]);
  });

  it('leaves projects of other clusters alone, and says if a limit ended its work', async () => {
    await write(projectUid, [0, 1, 2, 3, 4]);
    const project = { projectUid, namespace: 'team-a' };
    await markDeleted(database, { ...project, clusterUid });
    expect(await expire({ clusterUid: otherUid })).to.include({ rowsPurged: 0 });
    expect(await expire({ mostBatches: 1 })).to.include({
      rowsPurged: 2,
      isComplete: false,
    });
    expect(await expire()).to.include({ isComplete: true });
    expect(await countOf(projectUid)).to.deep.equal([0, 0, 0]);
  });

  it('forgets a deleted project once none of its partitions can exist', async () => {
    await markDeleted(database, { projectUid, clusterUid, namespace: 'team-a' });
    async function known() {
      return (await database.query({ text: 'SELECT FROM zipjobs.projects' })).length;
    }
    for (const [days, left] of [
      [30, 1],
      [32, 0],
    ] as const) {
      await database.query({
        text: `UPDATE zipjobs.projects SET deleted_at = now() - make_interval(days => $1)`,
        values: [days],
      });
      await expire();
      expect(await known()).to.equal(left);
    }
  });
});
