import { toError } from '#runtime/errors.ts';
import type { Statistics } from '#runtime/history/figures.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { keptFor } from '../overview/kept-figures.ts';
import {
  type FailedJob,
  type PeriodFigures,
  RECENT_FAILURES,
  type Slot,
  slotsOf,
} from '../overview/period-figures.ts';
import { PERIODS, type Period, windowOf } from '../overview/periods.ts';
import type { History } from './history-reader.ts';

/** All users of a project share its figures for this long. */
export const FIGURES_AGE_MS = 10_000;
/** One failure may be a connection that the server closed. */
const FAILURE_AGE_MS = 1_000;
const MOST_REASONS = 8;

function failedJob({ uid, id, key, reason, finishedAt }: HistoryJob): FailedJob {
  return {
    uid,
    id,
    key,
    reason,
    finishedAt,
  };
}

function slotOf(one: Statistics['periods'][number]): Slot {
  return { ...one, fromMs: Date.parse(one.from) };
}

/** Reads the figures of one period. @throws the errors of History */
export async function readHistoryFigures(
  history: Pick<History, 'statistics' | 'listJobs'>,
  { projectUid, period, now }: { readonly projectUid: string; readonly period: Period; readonly now: Date },
  signal: AbortSignal,
): Promise<PeriodFigures> {
  const { fromMs, toMs } = windowOf(period, now);
  const [from, to] = [new Date(fromMs), new Date(toMs)];
  const failedOnes = { projectUid, phases: ['Failed'], finishedAfter: from } as const;
  const [statistics, failed] = await Promise.all([
    history.statistics({ projectUid, from, to, by: period.by, signal }),
    history.listJobs(failedOnes, { limit: RECENT_FAILURES, signal }),
  ]);
  const { total, periods, failures, durations } = statistics;
  return {
    total,
    slots: slotsOf(period, now, periods.map(slotOf)),
    failures: failures.slice(0, MOST_REASONS).map(({ reason, jobs }) => ({ reason, count: jobs })),
    ...(durations !== undefined && { durations }),
    recent: failed.jobs.map(failedJob),
  };
}

/** Undefined while the database does not respond, so that the rest of the page appears without them. */
export type HistoryFigures = (
  period: Period,
  projectUid: string,
  now: Date,
) => Promise<PeriodFigures | undefined>;

/** The finished jobs of a project in a period, from the history. Check the permissions of the user before the call. */
export function createHistoryFigures(
  { config, log, clock }: Pick<PageDeps, 'config' | 'log' | 'clock'>,
  history: Pick<History, 'statistics' | 'listJobs'>,
): HistoryFigures {
  function keptOf(period: Period) {
    return keptFor(
      FIGURES_AGE_MS,
      async (projectUid: string, now: Date, keepOnly: (ms: number) => void) => {
        try {
          const signal = AbortSignal.timeout(config.dashboardStatisticsTimeoutMs);
          return await readHistoryFigures(history, { projectUid, period, now }, signal);
        } catch (error) {
          log.warn({ err: toError(error), projectUid }, 'cannot read the figures of the history');
          keepOnly(FAILURE_AGE_MS);
          return undefined;
        }
      },
      clock,
    );
  }
  const byPeriod = new Map(PERIODS.map((period) => [period.value, keptOf(period)]));
  return async (period, projectUid, now) => byPeriod.get(period.value)?.(projectUid, now);
}
