import { expect } from 'chai';
import { createHistoryFigures } from '#dashboard/history/history-figures.ts';
import type { History } from '#dashboard/history/history-reader.ts';
import type { PageDeps } from '#dashboard/http/page-deps.ts';
import { DAY, PERIODS, periodOf } from '#dashboard/overview/periods.ts';
import { AppError } from '#runtime/errors.ts';
import { toHistoryJob } from '#runtime/history/archived-form.ts';
import type { Statistics } from '#runtime/history/figures.ts';
import { createLogger } from '#runtime/log/log.ts';
import { aFinishedJob, idOf } from '#test/support/builders/archived-jobs.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

const NONE: Statistics = {
  total: { succeeded: 0, failed: 0, cancelled: 0, files: 0, bytes: 0 },
  periods: [],
  failures: [],
  buckets: [],
};
const NOW = Date.parse('2026-05-04T12:30:00Z');
const DEPS = {
  clock: createManualClock(),
  config: { dashboardStatisticsTimeoutMs: 1_000 } as PageDeps['config'],
  log: createLogger('test', { level: 'silent' }),
};

/** A history that counts its reads. */
function createCounted(statistics: Statistics = NONE) {
  const asked: unknown[] = [];
  const state = { isAway: false };
  const history: Pick<History, 'statistics' | 'listJobs'> = {
    statistics: async ({ projectUid, from, to, by }) => {
      asked.push([projectUid, from.toISOString().slice(0, 13), to.toISOString().slice(0, 13), by]);
      if (state.isAway) throw new AppError('closed', { code: 'HistoryUnavailable', retryable: true });
      return statistics;
    },
    listJobs: async ({ phases }, { limit }) => ({
      jobs: [
        {
          ...toHistoryJob(aFinishedJob(1), { projectUid: 'p', clusterUid: 'c' }),
          reason: `${phases?.join(',')} ${limit}`,
        },
      ],
    }),
  };
  return { figures: createHistoryFigures(DEPS, history), asked, state };
}

describe('the figures of the history', () => {
  it('are those of the period, with the newest failures', async () => {
    const counted = { succeeded: 1, failed: 2, cancelled: 0, files: 3, bytes: 4 };
    const { figures, asked } = createCounted({
      ...NONE,
      total: counted,
      periods: [{ from: '2026-05-04T12:00:00Z', ...counted }],
      failures: [{ reason: 'SourceNotFound', jobs: 2 }],
    });
    const found = await figures(DAY, 'a', new Date(NOW));
    expect(asked).to.deep.equal([
      ['a', '2026-05-03T13', '2026-05-04T13', 'hour'],
      ['a', '2026-05-02T13', '2026-05-03T12', 'hour'],
    ]);
    expect(found?.earlier?.total).to.deep.include({ succeeded: 1, failed: 2 });
    expect(found?.faults).to.deep.equal({ caller: 2, operator: 0 });
    expect(found?.countedAt).to.equal('2026-05-04T12:30:00.000Z');
    expect(found?.slots.length).to.equal(24);
    expect(found?.slots.at(-1)).to.deep.include({ succeeded: 1, failed: 2, bytes: 4 });
    expect(found?.failures).to.deep.equal([{ reason: 'SourceNotFound', count: 2 }]);
    expect(found?.recent.map(({ id, reason }) => [id, reason])).to.deep.equal([[idOf(1), 'Failed 5']]);
    await figures(periodOf('7d'), 'a', new Date(NOW));
    expect(asked.slice(2)).to.deep.equal([
      ['a', '2026-04-28T00', '2026-05-05T00', 'day'],
      ['a', '2026-04-21T00', '2026-04-27T12', 'day'],
    ]);
  });

  it('are read once in ten seconds for each project and period, and the time before once a minute', async () => {
    const { figures, asked } = createCounted();
    for (const ms of [0, 5_000, 9_999])
      for (const period of PERIODS) await figures(period, 'a', new Date(NOW + ms));
    // With the time before each period.
    expect(asked.length).to.equal(6);
    await figures(DAY, 'b', new Date(NOW));
    await figures(DAY, 'a', new Date(NOW + 10_000));
    expect(asked.length).to.equal(9);
    await figures(DAY, 'a', new Date(NOW + 60_000));
    expect(asked.length).to.equal(11);
  });

  it('are read again a second after a failure, and not before', async () => {
    const { figures, asked, state } = createCounted();
    state.isAway = true;
    expect(await figures(DAY, 'a', new Date(NOW))).to.equal(undefined);
    state.isAway = false;
    expect(await figures(DAY, 'a', new Date(NOW + 999))).to.equal(undefined);
    expect(asked.length).to.equal(2);
    expect((await figures(DAY, 'a', new Date(NOW + 1_000)))?.slots.length).to.equal(24);
  });
});
