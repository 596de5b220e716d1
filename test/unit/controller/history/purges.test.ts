/** The deletion of a project's records with a real PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createPurges, type PurgeWork } from '#controller/history/purges.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { AppError } from '#runtime/errors.ts';
import { toHistoryEntry } from '#runtime/history/archived-form.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { until } from '#test/support/until.ts';

const KEY = 'team-a/project';
const JOBS = 1_200;

function setUp(database: PurgeWork['database']) {
  const metrics = createControllerMetrics(new Registry());
  const clock = createManualClock();
  const changes: string[] = [];
  const purges = createPurges({
    config: aConfig({ archiveRetrySeconds: 30 }),
    clock,
    log: pino({ level: 'silent' }),
    onChange: (key) => changes.push(key),
  });
  const stop = new AbortController();
  const running = purges.run({ database, metrics }, stop.signal);
  async function end(): Promise<void> {
    stop.abort();
    await running;
  }
  function untilComplete(key = KEY) {
    return until('the end of the purge', () => purges.of(key)?.isComplete === true, { limitMs: 60_000 });
  }
  return { purges, metrics, clock, changes, end, untilComplete };
}

describe('the deletion of all records of a project', () => {
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  let database: HistoryDatabase;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await createDatabase());
    database = resources.use(server.connect('writer'));
  });
  after(() => resources.disposeAsync());

  /** Stores jobs that ended within the last hour and a half. */
  async function store(projectUid: string, count: number): Promise<void> {
    const entries = Array.from({ length: count }, (_, n) => {
      const finishedAt = new Date(Date.now() - (n % 90) * 60_000).toISOString();
      const status = finishedAs('Succeeded', { finishedAt });
      const zipJob = aZipJob({ status, metadata: { uid: randomUUID() } });
      return toHistoryEntry(zipJob, { projectUid, clusterUid: randomUUID() });
    });
    for (let from = 0; from < count; from += 500) await writeJobs(database, entries.slice(from, from + 500));
  }
  async function left(projectUid: string): Promise<Record<string, number>> {
    const tables = ['jobs', 'job_details', 'usage_hours'];
    const counts = tables.map(
      (table) => `(SELECT count(*) FROM zipjobs.${table} WHERE project_uid = $1) AS ${table}`,
    );
    const text = `SELECT ${counts.join(', ')}`;
    return (await database.query<Record<string, number>>({ text, values: [projectUid] }))[0] ?? {};
  }
  const NOTHING = { jobs: 0, job_details: 0, usage_hours: 0 };

  it('deletes jobs, details and usage of this project only, and counts them (G9)', async () => {
    const [purged, kept] = [randomUUID(), randomUUID()];
    await store(purged, JOBS);
    await store(kept, 1);
    const before = await left(purged);
    const { purges, metrics, changes, end, untilComplete } = setUp(database);
    purges.start(KEY, { nonce: 'a', projectUid: purged, records: 10 });
    await untilComplete();
    const records = JOBS + (before['usage_hours'] ?? 0);
    expect(await left(purged)).to.deep.equal(NOTHING);
    expect((await left(kept))['jobs']).to.equal(1);
    expect(purges.of(KEY)).to.deep.equal({ nonce: 'a', records: records + 10, isComplete: true });
    expect((await metrics.history.purgedRows.get()).values[0]?.value).to.equal(records);
    expect(changes).to.deep.equal([KEY]);
    await end();
  });

  it('does not start a nonce twice, and records jobs that finish later again (G9)', async () => {
    const projectUid = randomUUID();
    await store(projectUid, 1);
    const { purges, end, untilComplete } = setUp(database);
    const order = { nonce: 'a', projectUid, records: 0 };
    purges.start(KEY, order);
    await untilComplete();
    const state = purges.of(KEY);
    await store(projectUid, 2);
    purges.start(KEY, order);
    expect(purges.of(KEY)).to.deep.equal(state);
    expect((await left(projectUid))['jobs']).to.equal(2);
    purges.start(KEY, { ...order, nonce: 'b' });
    await untilComplete();
    expect(await left(projectUid)).to.deep.equal(NOTHING);
    await end();
  });

  it('continues in another controller where one stopped (G9)', async () => {
    const projectUid = randomUUID();
    await store(projectUid, JOBS);
    const total = JOBS + ((await left(projectUid))['usage_hours'] ?? 0);
    let statements = 0;
    const first = setUp({
      query: async (statement, signal) => {
        statements += 1;
        if (statements === 2) await first.end();
        return database.query(statement, signal);
      },
    });
    first.purges.start(KEY, { nonce: 'a', projectUid, records: 0 });
    await until('the first controller to stop', () => statements === 2);
    const { records = 0 } = first.purges.of(KEY) ?? {};
    expect(records).to.be.within(1, total - 1);
    const second = setUp(database);
    second.purges.start(KEY, { nonce: 'a', projectUid, records });
    await second.untilComplete();
    expect(second.purges.of(KEY)?.records).to.equal(total);
    expect(await left(projectUid)).to.deep.equal(NOTHING);
    await second.end();
  });

  it('retries at growing intervals while the database is away, says so, and keeps the number (G8)', async () => {
    let calls = 0;
    let isAway = true;
    const rows = [5, 0];
    const { purges, clock, changes, end } = setUp({
      query: <Row>() => {
        calls += 1;
        if (isAway)
          return Promise.reject(
            new AppError('the database is away', { code: 'HistoryUnavailable', retryable: true }),
          );
        return Promise.resolve([{ rows: rows.shift() }] as unknown as readonly Row[]);
      },
    });
    purges.start(KEY, { nonce: 'a', projectUid: randomUUID(), records: 1 });
    await clock.advance(7_500);
    expect(calls).to.equal(4);
    expect(purges.of(KEY)).to.deep.equal({
      nonce: 'a',
      records: 1,
      isComplete: false,
      hasFailed: true,
    });
    expect(changes).to.have.length(4);
    isAway = false;
    await clock.advance(30_000);
    expect(purges.of(KEY)).to.deep.equal({ nonce: 'a', records: 6, isComplete: true });
    await end();
  });

  it('serves projects round-robin, and stops a forgotten one (G9)', async () => {
    const turns: string[] = [];
    const forever = setUp({
      query: async <Row>({ values }: { readonly values?: readonly unknown[] }) => {
        const projectUid = String(values?.[0]);
        turns.push(projectUid);
        await new Promise((resolve) => setImmediate(resolve));
        return [{ rows: projectUid === 'large' ? 1 : 0 }] as unknown as readonly Row[];
      },
    });
    forever.purges.start('large/project', { nonce: 'a', projectUid: 'large', records: 0 });
    forever.purges.start('small/project', { nonce: 'b', projectUid: 'small', records: 0 });
    await forever.untilComplete('small/project');
    expect(turns.indexOf('small')).to.equal(20);
    forever.purges.forget('large/project');
    const { length } = turns;
    await forever.end();
    expect(turns.length).to.be.at.most(length + 1);
    expect(forever.purges.of('large/project')).to.equal(undefined);
  });
});
