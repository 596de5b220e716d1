import { expect } from 'chai';
import type { History } from '#dashboard/history.ts';
import { createPeriodStatistics } from '#dashboard/pages/history/period-statistics.ts';
import type { PageDeps } from '#dashboard/pages/page-deps.ts';
import { AppError } from '#runtime/errors.ts';
import type { Statistics } from '#runtime/history/figures.ts';
import { createLogger } from '#runtime/log.ts';

const NONE: Statistics = {
  total: { succeeded: 0, failed: 0, cancelled: 0, files: 0, bytes: 0 },
  periods: [],
  failures: [],
  buckets: [],
};
const NOW = Date.parse('2026-05-04T12:00:00Z');

describe('the statistics of the overview', () => {
  it('are read again a second after a failure, and not before', async () => {
    let isAway = true;
    let reads = 0;
    const history = {
      statistics: () => {
        reads += 1;
        return isAway
          ? Promise.reject(new AppError('closed', { code: 'HistoryUnavailable', retryable: true }))
          : Promise.resolve(NONE);
      },
    };
    const deps = {
      config: { dashboardStatisticsTimeoutMs: 1_000 } as PageDeps['config'],
      log: createLogger('test', { level: 'silent' }),
    };
    const statisticsOf = createPeriodStatistics(deps, history as unknown as History);
    const at = (ms: number) => statisticsOf('a', new Date(NOW + ms));
    expect(await at(0)).to.equal(undefined);
    isAway = false;
    const readsOnce = reads;
    expect(await at(999)).to.equal(undefined);
    expect(reads).to.equal(readsOnce);
    expect(await at(1_000)).to.have.length(3);
  });
});
