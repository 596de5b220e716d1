/** Searches by ID and by whole key, also while old jobs have no places yet. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runner } from 'node-pg-migrate';
import { rfc3339 } from '#crds/conditions.ts';
import { systemClock } from '#runtime/clock.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { placesOfId } from '#runtime/history/job-places.ts';
import { addOldPlaces, dropOldPartitions, purgeProject } from '#runtime/history/keep.ts';
import { createJobLists } from '#runtime/history/list-jobs.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import { aHistoryEntry, aHistoryJob } from '#test/support/builders/history-jobs.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { explainStatements } from '#test/support/servers/explain-statements.ts';
import type { HistoryRole, PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase, createEmptyDatabase } from '#test/support/servers/test-database.ts';

const DAY_MS = 86_400_000;

function daysAgo(days: number): string {
  return rfc3339(new Date(Date.now() - days * DAY_MS));
}

/** The schema of the version that had no places, which the owner writes. */
async function migrateToVersionBefore(server: PostgresServer): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'zipjobs-migrations-'));
  for (const name of ['0001-tables', '0002-partitions', '0003-retention'])
    cpSync(`controller/migrate/migrations/${name}.sql`, join(dir, `${name}.sql`));
  await using owner = await server.open('owner');
  await runner({
    dbClient: owner,
    dir,
    direction: 'up',
    migrationsSchema: 'zipjobs',
    migrationsTable: 'migrations',
    log: () => undefined,
  });
  rmSync(dir, { recursive: true });
}

describe('job-places', () => {
  let life: AsyncDisposableStack;
  let server: PostgresServer;
  let writer: HistoryDatabase;
  let reader: HistoryDatabase;
  before(async function () {
    await requirePostgres(this);
  });
  function use(created: PostgresServer): void {
    server = life.use(created);
    writer = life.use(server.connect('writer'));
    reader = life.use(server.connect('reader'));
  }
  beforeEach(async () => {
    life = new AsyncDisposableStack();
    use(await createDatabase());
  });
  afterEach(() => life.disposeAsync());

  const projectUid = randomUUID();
  async function store(
    changes: readonly Partial<HistoryJob>[],
    role: HistoryRole = 'writer',
  ): Promise<readonly HistoryJob[]> {
    const jobs = changes.map((change) => aHistoryJob({ projectUid, ...change }));
    await using database = server.connect(role);
    await writeJobs(
      database,
      jobs.map((job) => ({ ...aHistoryEntry(), job })),
    );
    return jobs;
  }
  async function uidsOf(filter: Omit<JobFilter, 'projectUid'>, limit = 1_000): Promise<readonly string[]> {
    const lists = createJobLists({ database: reader, clock: systemClock, searchMs: 60_000 });
    const uids: string[] = [];
    for (let cursor: string | undefined, isMore = true; isMore; ) {
      const page = await lists.listJobs({ projectUid, ...filter }, { limit, cursor });
      uids.push(...page.jobs.map(({ uid }) => uid));
      cursor = page.next;
      isMore = cursor !== undefined;
    }
    return uids;
  }
  async function countPlaces(): Promise<number> {
    return (await writer.query({ text: 'SELECT FROM zipjobs.job_places' })).length;
  }
  /** One batch; true if nothing is left. */
  async function addBatch(most: number): Promise<boolean> {
    const text = 'SELECT zipjobs.add_old_job_places($1) AS "isComplete"';
    return (await writer.query<{ isComplete: boolean }>({ text, values: [most] }))[0]?.isComplete ?? false;
  }

  it('finds jobs of the version before by ID and key, before, while and after their places are added', async () => {
    use(await createEmptyDatabase());
    await migrateToVersionBefore(server);
    const id = randomUUID();
    const old = await store(
      [
        { finishedAt: daysAgo(40), id },
        { finishedAt: daysAgo(3), id },
        { finishedAt: daysAgo(3), key: 'other.zip' },
        { finishedAt: daysAgo(20) },
      ],
      'owner',
    );
    expect(await server.migrate()).to.deep.equal(['0004-job-places', '0005-clocks-and-locks']);
    const late = await store([{ finishedAt: daysAgo(30) }, { finishedAt: daysAgo(0) }]);
    const sameKey = [late[1], old[1], old[3], late[0], old[0]].map((job) => job?.uid);
    let rounds = 0;
    for (let isComplete = false; !isComplete; rounds += 1) {
      expect(await uidsOf({ id })).to.deep.equal([old[1]?.uid, old[0]?.uid]);
      const [newest] = await placesOfId(reader, { projectUid, id, most: 1 });
      expect(newest?.uid).to.equal(old[1]?.uid);
      expect(await uidsOf({ key: 'out/archive.zip' })).to.deep.equal(sameKey);
      expect(await uidsOf({ key: 'out/archive.zip' }, 2)).to.deep.equal(sameKey);
      expect(await uidsOf({ key: 'other.zip' })).to.deep.equal([old[2]?.uid]);
      expect(await uidsOf({ key: 'none.zip' })).to.deep.equal([]);
      isComplete = await addBatch(1);
    }
    expect(rounds).to.be.above(4);
    expect(await countPlaces()).to.equal(6);
    expect(await addOldPlaces(writer, { mostBatches: 1 })).to.equal(true);
  });

  it('is complete at once on an empty history, and is written with each job, not with its updates', async () => {
    expect(await addBatch(1)).to.equal(true);
    const [job] = await store([{}]);
    await writeJobs(writer, [
      { ...aHistoryEntry(), job: { ...aHistoryJob(job), webhookState: 'Delivered' } },
    ]);
    expect(await countPlaces()).to.equal(1);
  });

  it('lists many jobs with one key page by page, and only those that match the rest of the filter', async () => {
    const jobs = await store(
      Array.from({ length: 250 }, (_, n) => ({
        uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
        finishedAt: daysAgo(Math.floor(n / 50)),
        phase: n % 50 === 0 ? ('Failed' as const) : ('Succeeded' as const),
      })),
    );
    const wanted = jobs
      .toSorted((a, b) => (`${a.finishedAt}${a.uid}` < `${b.finishedAt}${b.uid}` ? 1 : -1))
      .map(({ uid }) => uid);
    expect(await uidsOf({ key: 'out/archive.zip' }, 7)).to.deep.equal(wanted);
    expect(await uidsOf({ key: 'out/archive.zip', phases: ['Failed'] }, 2)).to.have.length(5);
    const time = new Date(daysAgo(2.5));
    expect(await uidsOf({ key: 'out/archive.zip', finishedAfter: time })).to.have.length(150);
    expect(await uidsOf({ key: 'out/archive.zip', finishedBefore: time })).to.have.length(100);
  });

  it('returns no job whose key only has the same hash', async () => {
    const [first] = await store([{ key: 'a.zip' }, { key: 'b.zip' }]);
    await using owner = await server.open('owner');
    await owner.query(
      `UPDATE zipjobs.job_places SET key_hash = (SELECT key_hash FROM zipjobs.job_places WHERE uid = '${first?.uid}')`,
    );
    expect(await uidsOf({ key: 'a.zip' })).to.deep.equal([first?.uid]);
  });

  it('deletes the places of purged jobs, and drops months of which every day is beyond the retention (G9)', async () => {
    await store([{ finishedAt: daysAgo(1) }, { finishedAt: daysAgo(100) }]);
    await store([{ projectUid: randomUUID() }]);
    const purged = { projectUid, endedBefore: daysAgo(50) };
    await purgeProject(writer, purged, { batchRows: 10, mostBatches: 10 });
    expect(await countPlaces()).to.equal(2);
    async function months() {
      return (await dropOldPartitions(writer, { retentionDays: 68, mostTables: 99 })).filter((name) =>
        name.startsWith('zipjobs.job_places_'),
      );
    }
    expect(await months()).to.deep.equal([`zipjobs.job_places_${daysAgo(100).slice(0, 7).replace('-', '')}`]);
    expect(await countPlaces()).to.equal(2);
  });

  it('adds no place of a job that is purged at the same time', async () => {
    use(await createEmptyDatabase());
    await migrateToVersionBefore(server);
    await store([{}], 'owner');
    await server.migrate();
    await using owner = await server.open('owner');
    await owner.query(`DELETE FROM zipjobs.job_places; UPDATE zipjobs.job_places_progress
      SET since = 'infinity', project_uid = '00000000-0000-0000-0000-000000000000', finished_at = '-infinity'`);
    await owner.query('BEGIN; DELETE FROM zipjobs.jobs');
    const adding = addOldPlaces(writer, { mostBatches: 100 });
    await owner.query('SELECT pg_sleep(0.2); COMMIT');
    expect(await adding).to.equal(true);
    expect(await countPlaces()).to.equal(0);
  });

  it('searches a whole key in one index per month and reads the days of its jobs (G7)', async () => {
    await store([
      { finishedAt: daysAgo(1) },
      { finishedAt: daysAgo(70) },
      { finishedAt: daysAgo(50), key: 'b' },
    ]);
    const { database, plans } = explainStatements(reader);
    const lists = createJobLists({ database, clock: systemClock, searchMs: 60_000 });
    expect((await lists.listJobs({ projectUid, key: 'out/archive.zip' }, { limit: 25 })).jobs).to.have.length(
      2,
    );
    const [places, jobs, ...more] = plans;
    expect(more).to.deep.equal([]);
    expect(places?.partitions.length).to.be.within(2, 5);
    expect([...(places?.scans ?? [])].every((scan) => /^Index (Only )?Scan/.test(scan))).to.equal(true);
    expect(jobs?.partitions).to.deep.equal(
      [daysAgo(70), daysAgo(1)].map((time) => `jobs_${time.slice(0, 10).replaceAll('-', '')}`),
    );
    expect(jobs?.scans).to.deep.equal(new Set(['Index Scan']));
  });

  it('reads the first page of a list from the primary keys of the days since yesterday (G7)', async () => {
    await store([{ finishedAt: daysAgo(0) }, { finishedAt: daysAgo(30) }]);
    const { database, plans } = explainStatements(reader);
    const lists = createJobLists({ database, clock: systemClock, searchMs: 60_000 });
    await lists.listJobs({ projectUid }, { limit: 1 });
    const [first] = plans;
    // The 14 days ahead are empty.
    expect(first?.partitions.length).to.be.within(15, 17);
    expect(first?.partitions).to.not.include(`jobs_${daysAgo(30).slice(0, 10).replaceAll('-', '')}`);
    expect(first?.scans).to.deep.equal(new Set(['Index Scan']));
  });
});
