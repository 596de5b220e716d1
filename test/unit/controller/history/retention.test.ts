/** The retention with a real PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { applyRetention, keepRetention } from '#controller/history/retention.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { AppError } from '#runtime/errors.ts';
import { toHistoryEntry } from '#runtime/history/archived-form.ts';
import type { HistoryDatabase, Statement } from '#runtime/history/database.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import { createFakeObjects, unreachable } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob, aZipProject } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describe('the retention of the history', () => {
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  let database: HistoryDatabase;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await createDatabase());
    database = resources.use(server.connect('writer'));
  });
  after(() => resources.disposeAsync());

  interface Change {
    readonly database?: Pick<HistoryDatabase, 'query'>;
    /** Of the API server, compared with PostgreSQL. */
    readonly clockAheadMs?: number;
  }
  function setUp({ clockAheadMs = 0, ...change }: Change = {}) {
    const clusterUid = randomUUID();
    const projects = createFakeObjects<ZipProject>();
    const metrics = createControllerMetrics(new Registry());
    const clock = createManualClock(new Date(Date.now() + clockAheadMs));
    const options = {
      database,
      ...change,
      clusterUid,
      retentionDays: 30,
      projects: projects.reflector,
      client: projects.client,
      metrics,
      clock,
      log: pino({ level: 'silent' }),
    };
    const namespaces = new Map<string, string>();
    function put(namespace: string, historyRetentionDays?: number): string {
      const project = aZipProject();
      const uid = randomUUID();
      namespaces.set(uid, namespace);
      const spec = { ...project.spec, ...(historyRetentionDays !== undefined && { historyRetentionDays }) };
      projects.put({ ...project, metadata: { ...project.metadata, namespace, uid }, spec });
      return uid;
    }
    /** Stores a job that ended so many days ago. */
    async function store(projectUid: string, days: number): Promise<void> {
      const finishedAt = new Date(Date.now() - days * DAY_MS).toISOString();
      const zipJob = aZipJob({
        status: finishedAs('Succeeded', { finishedAt }),
        metadata: { uid: randomUUID(), namespace: namespaces.get(projectUid) ?? 'deleted' },
      });
      await writeJobs(database, [toHistoryEntry(zipJob, { projectUid, clusterUid })]);
    }
    async function left(projectUid: string): Promise<number> {
      const text = 'SELECT count(*) AS jobs FROM zipjobs.jobs WHERE project_uid = $1';
      return (await database.query<{ jobs: number }>({ text, values: [projectUid] }))[0]?.jobs ?? -1;
    }
    function apply() {
      return applyRetention(options, new AbortController().signal);
    }
    function failureOf() {
      return apply().then(() => '', String);
    }
    async function daysAhead() {
      return (await metrics.history.partitionDaysAhead.get()).values[0]?.value;
    }
    async function failures() {
      return (await metrics.history.retentionFailures.get()).values[0]?.value;
    }
    return {
      projects,
      clock,
      options,
      put,
      store,
      left,
      apply,
      failureOf,
      daysAhead,
      failures,
    };
  }

  /** The database, which refuses some statements. */
  function refusing(isRefused: (statement: Statement) => boolean): Pick<HistoryDatabase, 'query'> {
    return {
      query: async (statement, signal) => {
        if (isRefused(statement))
          throw new AppError('a lock', { code: 'HistoryUnavailable', retryable: true });
        return await database.query(statement, signal);
      },
    };
  }
  async function exists(table: string): Promise<boolean> {
    return (
      (await database.query({ text: 'SELECT WHERE to_regclass($1) IS NOT NULL', values: [table] })).length > 0
    );
  }
  function partitionAt(time: Date): string {
    return `zipjobs.jobs_${time.toISOString().slice(0, 7).replace('-', '')}`;
  }
  /** That of the jobs of a month from now on. */
  function partitionOf(months: number): string {
    const now = new Date();
    return partitionAt(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)));
  }
  function partitionDaysAgo(days: number): string {
    return partitionAt(new Date(Date.now() - days * DAY_MS));
  }
  async function dropPartition(name: string): Promise<void> {
    await using owner = await server.open('owner');
    await owner.query(`DROP TABLE IF EXISTS ${name}`);
  }

  it('makes partitions 14 days ahead, drops months and deletes jobs beyond the retention (G9)', async () => {
    const { put, store, left, apply, daysAhead } = setUp();
    const project = put('team-a');
    for (const days of [1, 29.9, 30.1, 33, 100]) await store(project, days);
    expect(await apply()).to.equal(true);
    expect(await left(project)).to.equal(2);
    expect(await exists(partitionDaysAgo(100))).to.equal(false);
    expect(await daysAhead()).to.be.at.least(14);
  });

  it('deletes the jobs of a project with a shorter retention, not with a longer one (G9)', async () => {
    const { put, store, left, apply } = setUp();
    const [short, long] = [put('short', 7), put('long', 1_000)];
    for (const project of [short, long]) for (const days of [1, 10, 32]) await store(project, days);
    await apply();
    expect([await left(short), await left(long)]).to.deep.equal([1, 2]);
  });

  it('deletes everything of a deleted project, also if its namespace has another project now (G9)', async () => {
    const { projects, put, store, left, apply } = setUp();
    const [first, kept] = [put('team-a'), put('team-b')];
    for (const project of [first, kept]) await store(project, 1);
    await apply();
    projects.remove('team-a', 'project');
    const second = put('team-a');
    await store(second, 1);
    await apply();
    expect([await left(first), await left(second), await left(kept)]).to.deep.equal([0, 1, 1]);
  });

  it('deletes everything of a project that existed only between two rounds (G9)', async () => {
    const { store, left, apply } = setUp();
    await apply();
    const project = randomUUID();
    await store(project, 0);
    await apply();
    expect(await left(project)).to.equal(0);
  });

  it('deletes nothing of a project that only the cache lacks, nor of other clusters (G9)', async () => {
    const { options, put, store, left, apply } = setUp();
    const project = put('team-a');
    await store(project, 1);
    await apply();
    const empty = { get: () => undefined, values: () => [].values() };
    await applyRetention({ ...options, projects: empty }, new AbortController().signal);
    expect(await left(project)).to.equal(1);
    await setUp().apply();
    expect(await left(project)).to.equal(1);
  });

  it('records all projects and their retentions in one statement', async () => {
    const recorded: unknown[] = [];
    const counting: Pick<HistoryDatabase, 'query'> = {
      query: (statement, signal) => {
        if (statement.text.includes('INSERT INTO zipjobs.projects')) recorded.push(statement.values?.[3]);
        return database.query(statement, signal);
      },
    };
    const { put, apply, options } = setUp({ database: counting });
    expect(await apply()).to.equal(true);
    expect(recorded).to.deep.equal([]);
    const uids = [put('team-a', 7), put('team-b'), put('team-c', 30)];
    await apply();
    await apply();
    expect(recorded).to.deep.equal([
      [7, null, 30],
      [7, null, 30],
    ]);
    const known = await database.query<{ projectUid: string; days: number | null }>({
      text: `SELECT project_uid AS "projectUid", retention_days AS days FROM zipjobs.projects WHERE cluster_uid = $1`,
      values: [options.clusterUid],
    });
    expect(new Map(known.map(({ projectUid, days }) => [projectUid, days]))).to.deep.equal(
      new Map([
        [uids[0], 7],
        [uids[1], null],
        [uids[2], 30],
      ]),
    );
  });

  describe('with a step that fails', () => {
    it('counts the days that have partitions although none can be made (G8)', async () => {
      const { failureOf, daysAhead } = setUp({
        database: refusing(({ text }) => text.includes('make_partitions')),
      });
      await dropPartition(partitionOf(0));
      expect(await failureOf()).to.contain('a lock');
      expect(await daysAhead()).to.equal(0);
    });

    it('makes partitions and drops old ones although the API server does not respond (G8)', async () => {
      const { projects, put, store, left, apply, failureOf, daysAhead } = setUp();
      const [gone, kept] = [put('team-a'), put('team-b')];
      for (const project of [gone, kept]) for (const days of [1, 32]) await store(project, days);
      projects.remove('team-a', 'project');
      projects.fail(unreachable());
      await dropPartition(partitionOf(1));
      expect(await failureOf()).to.contain('the connection to the API server failed');
      expect([await left(gone), await left(kept)]).to.deep.equal([1, 1]);
      expect(await daysAhead()).to.be.at.least(14);
      projects.fail(undefined);
      await apply();
      expect([await left(gone), await left(kept)]).to.deep.equal([0, 1]);
    });

    it('deletes everything of the other deleted projects although one cannot be read (G8)', async () => {
      const { projects, store, left, failureOf } = setUp();
      const [unknown, gone] = [randomUUID(), randomUUID()];
      for (const project of [unknown, gone]) await store(project, 1);
      let reads = 0;
      projects.fail(unreachable(), () => {
        reads += 1;
        return reads === 1;
      });
      expect(await failureOf()).to.contain('the connection to the API server failed');
      expect([await left(unknown), await left(gone)]).to.have.members([0, 1]);
    });

    it('deletes everything of deleted projects although no partition can be dropped (G9)', async () => {
      const { store, left, failureOf } = setUp({
        database: refusing(({ text }) => text.includes('drop_oldest_partition')),
      });
      const project = randomUUID();
      for (const days of [1, 32]) await store(project, days);
      expect(await failureOf()).to.contain('a lock');
      expect(await left(project)).to.equal(0);
    });

    it('deletes everything of the other projects although one fails, and names both errors (G9)', async () => {
      const purged: unknown[] = [];
      const { store, left, failureOf } = setUp({
        database: refusing(({ text, values }) => {
          if (!text.includes('purge_project')) return text.includes('forget_deleted');
          if (projects.some((project) => project === values?.[0])) purged.push(values?.[0]);
          return purged.length > 0 && values?.[0] === purged[0];
        }),
      });
      const projects = [randomUUID(), randomUUID()];
      for (const project of projects) await store(project, 1);
      const failure = await failureOf();
      const lefts = await Promise.all(projects.map(left));
      expect(lefts).to.have.members([0, 1]);
      expect(failure).to.contain(`delete the records of project ${String(purged[0])}: a lock`);
      expect(failure).to.contain('forget deleted projects: a lock');
    });
  });

  describe('with clocks that differ by more than an hour', () => {
    for (const [clockAheadMs, difference] of [
      [-2 * HOUR_MS, '120 minutes ahead of'],
      [2 * HOUR_MS, '120 minutes behind'],
    ] as const)
      it(`deletes nothing and makes partitions while PostgreSQL is ${difference} the API server (G9)`, async () => {
        const { projects, put, store, left, failureOf, daysAhead } = setUp({ clockAheadMs });
        const [gone, short] = [put('team-a'), put('team-b', 7)];
        for (const project of [gone, short]) for (const days of [1, 10, 100]) await store(project, days);
        projects.remove('team-a', 'project');
        await dropPartition(partitionOf(1));
        expect(await failureOf()).to.contain(
          `The clock of PostgreSQL is ${difference} that of the API server`,
        );
        expect([await left(gone), await left(short)]).to.deep.equal([3, 3]);
        expect(await daysAhead()).to.be.at.least(14);
        expect(await exists(partitionDaysAgo(100))).to.equal(true);
      });

    it('deletes as usual while they differ by less (G9)', async () => {
      const { put, store, left, apply } = setUp({ clockAheadMs: -HOUR_MS + 60_000 });
      const project = put('team-a');
      for (const days of [1, 32]) await store(project, days);
      expect(await apply()).to.equal(true);
      expect(await left(project)).to.equal(1);
    });
  });

  it('continues after an hour, and a minute after a failure, which it counts from zero', async () => {
    const database = refusing(() => true);
    const { options, clock, failures } = setUp({ database });
    expect(await failures()).to.equal(0);
    const stop = new AbortController();
    const running = keepRetention(options, stop.signal);
    await clock.advance(180_000);
    expect(await failures()).to.equal(4);
    stop.abort();
    await running;
    expect(await failures()).to.equal(4);
  });
});
