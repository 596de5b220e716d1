import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { createFigures, type Figures, type Totals } from '#runtime/history/figures.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import { percentileOf } from '#runtime/history/percentile.ts';
import { randomHistoryJobs, storeHistoryJobs, uuidOf } from '#test/support/builders/history-rows.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { createRandom } from '#test/support/random.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';

const DAYS = 5;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PROJECT = uuidOf(1, 1);
const NOW = new Date();

function totalsOf(jobs: readonly HistoryJob[]): Totals {
  function count(phase: string): number {
    return jobs.filter((job) => job.phase === phase).length;
  }
  return {
    succeeded: count('Succeeded'),
    failed: count('Failed'),
    cancelled: count('Cancelled'),
    files: jobs.reduce((sum, { files }) => sum + files, 0),
    bytes: jobs.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function startOf(unitMs: number, { finishedAt }: HistoryJob): string {
  return new Date(Math.floor(Date.parse(finishedAt) / unitMs) * unitMs).toISOString().replace('.000Z', 'Z');
}

function grouped(jobs: readonly HistoryJob[], keyOf: (job: HistoryJob) => string) {
  return [...Map.groupBy(jobs, keyOf)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** By nearest rank. */
function exactPercentile(jobs: readonly HistoryJob[], share: number): number {
  const durations = jobs
    .filter(({ phase }) => phase === 'Succeeded')
    .map(({ durationMs }) => durationMs ?? 0)
    .toSorted((a, b) => a - b);
  return durations[Math.ceil(durations.length * share) - 1] ?? Number.NaN;
}

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => '',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
}

describe('percentile of counts per range', () => {
  it('contains the true value for any durations', () => {
    const random = createRandom(1);
    const bounds = [1_000, 2_000, 5_000, 10_000];
    for (let n = 0; n < 200; n += 1) {
      const values = Array.from({ length: random.int(1, 50) }, () => random.int(1, 12_000)).sort(
        (a, b) => a - b,
      );
      const counts = [...bounds, Number.POSITIVE_INFINITY].map(
        (bound, index) =>
          values.filter((value) => value <= bound && value > (bounds[index - 1] ?? -1)).length,
      );
      for (const share of [0.5, 0.95, 1]) {
        const exact = values[Math.ceil(values.length * share) - 1] ?? 0;
        const {
          ms = 0,
          fromMs = 0,
          toMs = Number.POSITIVE_INFINITY,
        } = percentileOf(counts, bounds, share) ?? {};
        expect(exact).to.be.within(fromMs, toMs);
        expect(ms).to.be.within(fromMs, toMs);
      }
    }
  });

  it('is absent without jobs', () => {
    expect(percentileOf([0, 0], [1_000], 0.5)).to.equal(undefined);
    expect(percentileOf([], [1_000], 0.5)).to.equal(undefined);
  });
});

describe('figures', () => {
  const open = new AsyncDisposableStack();
  let server: PostgresServer;
  let reader: HistoryDatabase;
  let figures: Figures;
  const jobs = randomHistoryJobs(7, 1_000, { now: NOW, days: DAYS });
  function ofProject(from: Date, to: Date): readonly HistoryJob[] {
    return jobs.filter(
      ({ projectUid, finishedAt }) =>
        projectUid === PROJECT && new Date(finishedAt) >= from && new Date(finishedAt) < to,
    );
  }

  before(async function () {
    await requirePostgres(this);
    server = open.use(await createDatabase());
    await using writer = server.connect('writer');
    await storeHistoryJobs(writer, jobs);
    // Every job a second time, as after a crash.
    await storeHistoryJobs(writer, jobs);
    reader = open.use(server.connect('reader'));
    figures = createFigures({ database: reader });
  });

  after(() => open.disposeAsync());

  for (const by of ['hour', 'day'] as const)
    it(`counts what the jobs of whole hours add up to, per ${by} (G7)`, async () => {
      const to = new Date(Math.ceil(NOW.getTime() / HOUR_MS) * HOUR_MS);
      const from = new Date(to.getTime() - (by === 'hour' ? 30 : 100) * HOUR_MS);
      const wanted = ofProject(from, to);
      const found = await figures.statistics({ projectUid: PROJECT, from, to, by });
      expect(found.total).to.deep.equal(totalsOf(wanted));
      expect(found.periods).to.deep.equal(
        grouped(wanted, (job) => startOf(by === 'hour' ? HOUR_MS : DAY_MS, job)).map(([start, some]) => ({
          from: start,
          ...totalsOf(some),
        })),
      );
      const failed = wanted.filter(({ phase }) => phase === 'Failed');
      expect(new Map(found.failures.map(({ reason, jobs: count }) => [reason, count]))).to.deep.equal(
        new Map(grouped(failed, ({ reason }) => reason).map(([reason, some]) => [reason, some.length])),
      );
      const buckets = grouped(wanted, ({ service, bucketName }) => `${service}/${bucketName}`);
      expect(
        new Map(found.buckets.map((one) => [`${one.service}/${one.bucketName}`, [one.jobs, one.bytes]])),
      ).to.deep.equal(new Map(buckets.map(([name, some]) => [name, [some.length, totalsOf(some).bytes]])));
    });

  it('has p50 and p95 of the durations within the ranges that it returns (G7)', async () => {
    const [from, to] = [new Date(NOW.getTime() - (DAYS + 1) * DAY_MS), NOW];
    const { durations } = await figures.statistics({ projectUid: PROJECT, from, to, by: 'day' });
    const succeeded = jobs.filter(({ projectUid }) => projectUid === PROJECT);
    for (const [share, found] of [
      [0.5, durations?.p50],
      [0.95, durations?.p95],
    ] as const)
      expect(exactPercentile(succeeded, share)).to.be.within(found?.fromMs ?? 0, found?.toMs ?? 0);
  });

  it('sorts failures and buckets by their jobs', async () => {
    const { failures, buckets } = await figures.statistics({
      projectUid: PROJECT,
      from: new Date(NOW.getTime() - DAYS * DAY_MS),
      to: NOW,
      by: 'day',
    });
    for (const list of [failures, buckets])
      expect(list.map(({ jobs: count }) => count)).to.deep.equal(
        list.map(({ jobs: count }) => count).toSorted((a, b) => b - a),
      );
  });

  it('has nothing for a project without jobs', async () => {
    const request = { from: new Date(NOW.getTime() - DAY_MS), to: NOW, by: 'hour' } as const;
    expect(await figures.statistics({ projectUid: uuidOf(1, 9), ...request })).to.deep.equal({
      total: { succeeded: 0, failed: 0, cancelled: 0, files: 0, bytes: 0 },
      periods: [],
      failures: [],
      buckets: [],
    });
  });

  it('counts the usage of each project and day', async () => {
    const from = new Date(NOW.getTime() - (DAYS + 1) * DAY_MS);
    const projectUids = [PROJECT, uuidOf(1, 2)];
    const found = await figures.usageByDay({ projectUids, from, to: NOW });
    const wanted = grouped(jobs, (job) => `${job.projectUid} ${startOf(DAY_MS, job)}`).map(([key, some]) => {
      const [projectUid = '', day = ''] = key.split(' ');
      return { projectUid, day, ...totalsOf(some) };
    });
    expect(found).to.deep.equal(wanted);
    expect(await figures.usageByDay({ projectUids: [PROJECT], from, to: NOW })).to.deep.equal(
      wanted.filter(({ projectUid }) => projectUid === PROJECT),
    );
  });

  it('refuses a time that would read too much, or is invalid', async () => {
    function statistics(from: Date, to: Date, by: 'hour' | 'day') {
      return codeOf(figures.statistics({ projectUid: PROJECT, from, to, by }));
    }
    function before(days: number): Date {
      return new Date(NOW.getTime() - days * DAY_MS);
    }
    expect(await statistics(before(100), NOW, 'hour')).to.equal('InvalidRange');
    expect(await statistics(before(900), NOW, 'day')).to.equal('InvalidRange');
    expect(await statistics(NOW, before(1), 'day')).to.equal('InvalidRange');
    expect(await statistics(new Date(Number.NaN), NOW, 'day')).to.equal('InvalidRange');
    const projectUids = Array<string>(1_000).fill(PROJECT);
    expect(await codeOf(figures.usageByDay({ projectUids, from: before(30), to: NOW }))).to.equal(
      'InvalidRange',
    );
  });
});
