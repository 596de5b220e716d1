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
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob, aZipProject } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres-server.ts';

const DAY_MS = 86_400_000;

describe('the retention of the history', () => {
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  let database: HistoryDatabase;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await startPostgres());
    database = resources.use(server.connect('writer'));
  });
  after(() => resources.disposeAsync());

  const setUp = (change: { database?: Pick<HistoryDatabase, 'query'> } = {}) => {
    const clusterUid = randomUUID();
    const projects = createFakeObjects<ZipProject>();
    const metrics = createControllerMetrics(new Registry());
    const clock = createManualClock();
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
    const put = (namespace: string, historyRetentionDays?: number): string => {
      const project = aZipProject();
      const uid = randomUUID();
      namespaces.set(uid, namespace);
      const spec = { ...project.spec, ...(historyRetentionDays !== undefined && { historyRetentionDays }) };
      projects.put({ ...project, metadata: { ...project.metadata, namespace, uid }, spec });
      return uid;
    };
    /** Stores a job that ended so many days ago. */
    const store = async (projectUid: string, days: number): Promise<void> => {
      const finishedAt = new Date(Date.now() - days * DAY_MS).toISOString();
      const zipJob = aZipJob({
        status: finishedAs('Succeeded', { finishedAt }),
        metadata: { uid: randomUUID(), namespace: namespaces.get(projectUid) ?? 'deleted' },
      });
      await writeJobs(database, [toHistoryEntry(zipJob, { projectUid, clusterUid })]);
    };
    const left = async (projectUid: string): Promise<number> => {
      const text = 'SELECT count(*) AS jobs FROM zipjobs.jobs WHERE project_uid = $1';
      return (await database.query<{ jobs: number }>({ text, values: [projectUid] }))[0]?.jobs ?? -1;
    };
    const apply = () => applyRetention(options, new AbortController().signal);
    return { projects, metrics, clock, options, put, store, left, apply };
  };

  it('makes partitions 14 days ahead, and drops those beyond the retention (G9)', async () => {
    const { put, store, left, apply, metrics } = setUp();
    const project = put('team-a');
    for (const days of [1, 29, 32, 33]) await store(project, days);
    expect(await apply()).to.equal(true);
    expect(await left(project)).to.equal(2);
    expect((await metrics.history.partitionDaysAhead.get()).values[0]?.value).to.equal(14);
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

  it('continues after an hour, and a minute after a failure, which it counts', async () => {
    let calls = 0;
    const away = {
      query: () => {
        calls += 1;
        return Promise.reject(new AppError('away', { code: 'HistoryUnavailable', retryable: true }));
      },
    };
    const { options, clock, metrics } = setUp({ database: away });
    const stop = new AbortController();
    const running = keepRetention(options, stop.signal);
    await clock.advance(180_000);
    expect(calls).to.equal(4);
    expect((await metrics.history.retentionFailures.get()).values[0]?.value).to.equal(4);
    stop.abort();
    await running;
  });
});
