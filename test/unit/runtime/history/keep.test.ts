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

/** A time in the month that began so many months ago. */
function monthsAgo(months: number, day = 15): string {
  const now = new Date();
  return rfc3339(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day, 12)));
}

/** How many months ago the month of this time began. */
function monthsSince(time: string): number {
  const [now, then] = [new Date(), new Date(time)];
  return 12 * (now.getUTCFullYear() - then.getUTCFullYear()) + now.getUTCMonth() - then.getUTCMonth();
}

function partitionsOf(months: number): readonly string[] {
  const month = monthsAgo(months).slice(0, 7).replace('-', '');
  return ['jobs', 'job_details', 'usage_hours'].map((table) => `zipjobs.${table}_${month}`);
}

/** Days from today to the end of the month. */
function daysLeft(months: number): number {
  const now = new Date();
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months + 1, 0);
  return Math.round((end - Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())) / DAY_MS);
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

  function writeAt(uid: string, times: readonly string[]) {
    return writeJobs(
      database,
      times.map((finishedAt) => aHistoryEntry({ projectUid: uid, clusterUid, finishedAt })),
    );
  }
  function write(uid: string, days: readonly number[]) {
    return writeAt(uid, days.map(daysAgo));
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

  it('makes the months of the next 14 days, and says for how many days they are enough', async () => {
    await makePartitionsAhead(database);
    const days = await partitionDaysAhead(database);
    expect(days)
      .to.be.at.least(14)
      .and.oneOf([daysLeft(0), daysLeft(-1)]);
    expect(await makePartitionsAhead(database)).to.equal(0);
    await database.query({ text: `SELECT zipjobs.make_partitions(current_date + 31, current_date + 31)` });
    await using owner = await server.open('owner');
    for (const table of partitionsOf(-1)) await owner.query(`DROP TABLE IF EXISTS ${table}`);
    expect(await partitionDaysAhead(database)).to.equal(daysLeft(0));
    for (const table of partitionsOf(0)) await owner.query(`DROP TABLE ${table}`);
    expect(await partitionDaysAhead(database)).to.equal(0);
    expect(await makePartitionsAhead(database)).to.be.at.least(3);
    expect(await partitionDaysAhead(database)).to.be.at.least(14);
  });

  it('drops whole months of which all rows are older than the retention, oldest first, within a limit (G9)', async () => {
    await writeAt(projectUid, [monthsAgo(2), monthsAgo(3), monthsAgo(5)]);
    /** Of the last day of the month before the last one, and a day more. */
    const retentionDays = -daysLeft(2);
    function drop(days: number, mostTables: number) {
      return dropOldPartitions(database, { retentionDays: days, mostTables });
    }
    expect(await drop(retentionDays, 3)).to.deep.equal(partitionsOf(5));
    expect(await drop(retentionDays, 9)).to.deep.equal(partitionsOf(3));
    expect(await drop(retentionDays, 9)).to.deep.equal([]);
    expect(await countOf(projectUid)).to.deep.equal([1, 1, 1]);
    expect(await drop(retentionDays - 1, 9)).to.deep.equal(partitionsOf(2));
  });

  it('deletes what is older than the retention to the second, whatever the month, in batches (G9)', async () => {
    await write(projectUid, [30.001, 29.999, 29, 30.5, 31, 33]);
    expect(await expire({ mostBatches: 1, batchRows: 1 })).to.include({ rowsPurged: 1, isComplete: false });
    expect(await expire()).to.include({ isComplete: true });
    const left = await database.query<{ at: string }>({
      text: 'SELECT finished_at AS at FROM zipjobs.jobs ORDER BY 1',
    });
    expect(left.map(({ at }) => Math.round(Date.now() / 1_000 - Date.parse(at) / 1_000))).to.satisfy(
      (ages: readonly number[]) => ages.length === 2 && ages.every((age) => age < 30 * 86_400),
    );
    expect((await countOf(projectUid)).slice(0, 2)).to.deep.equal([2, 2]);
  });

  it('lets readers continue within a second while a partition cannot be dropped (G8)', async () => {
    await write(projectUid, [0, 70]);
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
    const { partitionsDropped, rowsPurged, isComplete } = await expire();
    // Depending on the day, all of the month of the oldest jobs is older than 30 days.
    const isOver = daysLeft(monthsSince(daysAgo(40))) < -30;
    expect([partitionsDropped, isComplete]).to.deep.equal([isOver ? 3 : 0, true]);
    expect(rowsPurged).to.be.within(2 + 4, 2 + 4 + 6);
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
      [61, 1],
      [63, 0],
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
