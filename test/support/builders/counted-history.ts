import type { History } from '#dashboard/history/history-reader.ts';
import { toHistoryJob } from '#runtime/history/archived-form.ts';
import type { Totals } from '#runtime/history/figures.ts';
import { aFinishedJob } from './archived-jobs.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Jobs of the n-th hour or day; every fifth has none. */
function totalsOf(n: number): Totals {
  const jobs = n % 5 === 4 ? 0 : 400 + ((n * 137) % 900);
  const failed = Math.round((jobs * (n % 7)) / 60);
  const cancelled = jobs === 0 ? 0 : n % 3;
  return { succeeded: jobs - failed, failed, cancelled, files: jobs * 12, bytes: jobs * 48_000_000 };
}

function sumOf(all: readonly Totals[]): Totals {
  function sum(name: keyof Totals): number {
    return all.reduce((value, one) => value + one[name], 0);
  }
  return {
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    files: sum('files'),
    bytes: sum('bytes'),
  };
}

function periodsOf(from: Date, to: Date, stepMs: number): readonly (Totals & { readonly from: string })[] {
  return Array.from({ length: Math.round((to.getTime() - from.getTime()) / stepMs) }, (_, n) => ({
    from: new Date(from.getTime() + n * stepMs).toISOString(),
    ...totalsOf(n),
  })).filter(({ succeeded }) => succeeded > 0);
}

const CODES = ['SourceNotFound', 'SourceExpired', 'BucketAccessDenied', 'DeadlineExceeded'];

function failedJobs(count: number) {
  return Array.from({ length: count }, (_, n) => {
    const code = CODES[n % CODES.length] ?? '';
    const job = aFinishedJob(n, {
      key: `customers/2026/exports/${n}.zip`,
      finishedAt: new Date(Date.now() - (n + 1) * 600_000).toISOString(),
      status: { phase: 'Failed', failure: { code, retriable: false } },
    });
    return toHistoryJob(job, { projectUid: 'project', clusterUid: 'cluster' });
  });
}

/** A history with jobs in most hours and days, without a database. */
export function createCountedHistory(): History {
  return {
    statistics: async ({ from, to, by }) => {
      const periods = periodsOf(from, to, by === 'hour' ? HOUR_MS : DAY_MS);
      const total = sumOf(periods);
      return {
        total,
        periods,
        failures: CODES.map((reason, n) => ({ reason, jobs: Math.round(total.failed / (n + 2)) })),
        buckets: [],
        durations: {
          p50: { ms: 14_000, fromMs: 10_000, toMs: 20_000 },
          p95: { ms: 85_000, fromMs: 60_000, toMs: 120_000 },
        },
      };
    },
    usageByDay: async ({ projectUids: [projectUid = ''], from, to }) =>
      periodsOf(from, new Date(to.getTime() + DAY_MS), DAY_MS).map(({ from: start, ...totals }) => ({
        projectUid,
        day: `${start.slice(0, 10)}T00:00:00Z`,
        ...totals,
      })),
    listJobs: async (_filter, { limit }) => ({ jobs: failedJobs(limit), next: 'next' }),
    readJob: async () => undefined,
    streamJobs: async function* () {
      yield [];
    },
  };
}
