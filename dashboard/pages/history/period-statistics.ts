import { toError } from '#runtime/errors.ts';
import type { Statistics } from '#runtime/history/figures.ts';
import type { Percentile } from '#runtime/history/percentile.ts';
import { FORMAT } from '../../format.ts';
import type { History } from '../../history.ts';
import { keptFor } from '../kept-figures.ts';
import type { PageDeps } from '../page-deps.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** All users of a project share its figures for this long; they change by the hour. */
const FIGURES_AGE_MS = 10_000;
/** One failure may be a connection that the server closed. */
const FAILURE_AGE_MS = 1_000;

const PERIODS = [
  { label: '24 hours', ms: DAY_MS },
  { label: '7 days', ms: 7 * DAY_MS },
  { label: '30 days', ms: 30 * DAY_MS },
] as const;

/** Figures of one period, formatted. */
export interface PeriodRow {
  /** `7 days`. */
  readonly label: string;
  readonly succeeded: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly files: string;
  readonly bytes: string;
  /** Typical duration of jobs that succeeded; `''` without any. */
  readonly median: string;
  readonly p95: string;
}

/** Only ranges of durations are counted, so no value is exact. */
const durationText = ({ ms, fromMs, toMs }: Percentile): string => {
  if (toMs === undefined) return `over ${FORMAT.duration(fromMs)}`;
  return ms < 1_000 ? 'under 1 s' : `about ${FORMAT.duration(ms)}`;
};

const rowOf = (label: string, { total, durations }: Statistics): PeriodRow => ({
  label,
  succeeded: FORMAT.number(total.succeeded),
  failed: FORMAT.number(total.failed),
  cancelled: FORMAT.number(total.cancelled),
  files: FORMAT.number(total.files),
  bytes: FORMAT.bytes(total.bytes),
  median: durations === undefined ? '' : durationText(durations.p50),
  p95: durations === undefined ? '' : durationText(durations.p95),
});

/**
 * Figures of the last 24 hours, 7 days and 30 days of a project, from the counts per hour in the history. Undefined while the
 * database does not respond, so that the rest of the page appears without them. Check the permissions of the user before the call.
 */
export const createPeriodStatistics = (
  { config, log }: Pick<PageDeps, 'config' | 'log'>,
  history: History,
): ((projectUid: string, now: Date) => Promise<readonly PeriodRow[] | undefined>) => {
  const read = async (
    projectUid: string,
    now: Date,
    keepOnly: (ms: number) => void,
  ): Promise<readonly PeriodRow[] | undefined> => {
    const signal = AbortSignal.timeout(config.dashboardStatisticsTimeoutMs);
    // The current hour is not over, so the first one is left out.
    const end = Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS;
    try {
      return await Promise.all(
        PERIODS.map(async ({ label, ms }) => {
          const [from, to] = [new Date(end - ms), new Date(end)];
          return rowOf(label, await history.statistics({ projectUid, from, to, by: 'day', signal }));
        }),
      );
    } catch (error) {
      log.warn({ err: toError(error), projectUid }, 'cannot read the statistics of the history');
      keepOnly(FAILURE_AGE_MS);
      return undefined;
    }
  };
  return keptFor(FIGURES_AGE_MS, read);
};
