import { toError } from '#runtime/errors.ts';
import type { Statistics } from '#runtime/history/figures.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { keptFor } from '../overview/kept-figures.ts';
import {
  type EarlierFigures,
  type FailedJob,
  type PeriodFigures,
  RECENT_FAILURES,
  type Slot,
  slotsOf,
  topFailures,
} from '../overview/period-figures.ts';
import { PERIODS, type Period, windowBefore, windowOf } from '../overview/periods.ts';
import type { History } from './history-reader.ts';

/** All users of a project share its figures for this long. */
export const FIGURES_AGE_MS = 10_000;
/** One failure may be a connection that the server closed. */
const FAILURE_AGE_MS = 1_000;
/** Figures of an earlier period change only when the history deletes records. */
const EARLIER_AGE_MS = 60_000;

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
    ...topFailures(failures.map(({ reason, jobs }) => ({ reason, count: jobs }))),
    ...(durations !== undefined && { durations }),
    recent: failed.jobs.map(failedJob),
    countedAt: now.toISOString(),
  };
}

async function readEarlierFigures(
  history: Pick<History, 'statistics'>,
  { projectUid, period, now }: { readonly projectUid: string; readonly period: Period; readonly now: Date },
  signal: AbortSignal,
): Promise<EarlierFigures> {
  const { fromMs, toMs } = windowBefore(period, now);
  const { total, durations } = await history.statistics({
    projectUid,
    from: new Date(fromMs),
    to: new Date(toMs),
    by: period.by,
    signal,
  });
  return { total, ...(durations !== undefined && { durations }) };
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
  /** Undefined after a failure, which is logged. */
  function kept<T>(ageMs: number, read: (projectUid: string, now: Date, signal: AbortSignal) => Promise<T>) {
    return keptFor(
      ageMs,
      async (projectUid: string, now: Date, keepOnly: (ms: number) => void) => {
        try {
          return await read(projectUid, now, AbortSignal.timeout(config.dashboardStatisticsTimeoutMs));
        } catch (error) {
          log.warn({ err: toError(error), projectUid }, 'cannot read the figures of the history');
          keepOnly(FAILURE_AGE_MS);
          return undefined;
        }
      },
      clock,
    );
  }
  function keptOf(period: Period): HistoryFigures {
    const current = kept(FIGURES_AGE_MS, (projectUid, now, signal) =>
      readHistoryFigures(history, { projectUid, period, now }, signal),
    );
    const earlier = kept(EARLIER_AGE_MS, (projectUid, now, signal) =>
      readEarlierFigures(history, { projectUid, period, now }, signal),
    );
    return async (_period, projectUid, now) => {
      const [figures, before] = await Promise.all([current(projectUid, now), earlier(projectUid, now)]);
      return figures && { ...figures, earlier: before };
    };
  }
  const byPeriod = new Map(PERIODS.map((period) => [period.value, keptOf(period)]));
  return async (period, projectUid, now) => byPeriod.get(period.value)?.(period, projectUid, now);
}
