import { AppError } from '../errors.ts';
import type { HistoryDatabase } from './database.ts';
import { DURATION_BOUNDS_MS } from './duration-buckets.ts';
import { type Percentile, percentileOf } from './percentile.ts';

export interface Totals {
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Sources of all jobs. */
  readonly files: number;
  /** Size of the archives. */
  readonly bytes: number;
}

export interface Statistics {
  readonly total: Totals;
  /** Hours or days (UTC) with jobs, oldest first, named by their start (RFC 3339). */
  readonly periods: readonly (Totals & { readonly from: string })[];
  /** Why jobs failed, most frequent first; at most 20. */
  readonly failures: readonly { readonly reason: string; readonly jobs: number }[];
  /** Buckets with their jobs of any result and the size of their archives, most jobs first; at most 20. */
  readonly buckets: readonly {
    readonly service: string;
    readonly bucketName: string;
    readonly jobs: number;
    readonly bytes: number;
  }[];
  /**
   * Durations of the jobs that succeeded, from start to end. Absent without such jobs. Each has the range in which the true value
   * is, because only counts per range are stored.
   */
  readonly durations?: { readonly p50: Percentile; readonly p95: Percentile };
}

export interface StatisticsRequest {
  readonly projectUid: string;
  /** Rounded down to its hour. */
  readonly from: Date;
  /** Rounded up to its hour, and excluded. */
  readonly to: Date;
  readonly by: 'hour' | 'day';
  readonly signal?: AbortSignal | undefined;
}

export interface UsageRequest {
  readonly projectUids: readonly string[];
  /** The first and the last day (UTC), both included. */
  readonly from: Date;
  readonly to: Date;
  readonly signal?: AbortSignal | undefined;
}

export interface ProjectDay extends Totals {
  readonly projectUid: string;
  /** Start of the day (RFC 3339). */
  readonly day: string;
}

/**
 * Figures from the counts per hour, which are exact. They stay as long as the jobs that they count. Every method throws the errors
 * of HistoryDatabase, and AppError with code `InvalidRange` for too long a time or too many projects.
 */
export interface Figures {
  /** At most 800 hours or days. */
  statistics(request: StatisticsRequest): Promise<Statistics>;
  /** At most 400 days of one project, and 20,000 days of all projects together. */
  usageByDay(request: UsageRequest): Promise<readonly ProjectDay[]>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_PERIODS = 800;
const MAX_DAYS = 400;
const MAX_PROJECT_DAYS = 20_000;
const MOST_ROWS = 20;

/** Values of `kind`: a bit for each column that is not grouped, the first column in the highest. */
const BY_PERIOD = 0b011;
const BY_REASON = 0b101;
const BY_BUCKET = 0b110;
const TOTAL = 0b111;

/** Positions in `duration_counts`, from 1. */
const RANGES = Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, index) => index + 1);

function sumsOf(jobs: string): string {
  return `
  coalesce(sum(${jobs}) FILTER (WHERE phase = 'Succeeded'), 0)::bigint AS succeeded,
  coalesce(sum(${jobs}) FILTER (WHERE phase = 'Failed'), 0)::bigint AS failed,
  coalesce(sum(${jobs}) FILTER (WHERE phase = 'Cancelled'), 0)::bigint AS cancelled,
  coalesce(sum(files), 0)::bigint AS files, coalesce(sum(bytes), 0)::bigint AS bytes`;
}

/**
 * One sum for each range of durations is several times as fast as unnesting the arrays. Sums per period come first, so that the four
 * groupings read less. One statement reads the hours once, because planning for a year of partitions takes as long as reading them.
 */
const STATISTICS = `
WITH periods AS MATERIALIZED (
  SELECT date_trunc($4, hour, 'UTC') AS period, phase, reason, service, bucket,
    sum(jobs) AS jobs, sum(files) AS files, sum(bytes) AS bytes,
    ARRAY[${RANGES.map((range) => `sum(duration_counts[${range}])`).join(', ')}] AS counts
  FROM zipjobs.usage_hours WHERE project_uid = $1 AND hour >= $2 AND hour < $3
  GROUP BY 1, 2, 3, 4, 5
)
SELECT period AS "from", reason, service, bucket AS "bucketName",
  grouping(period, reason, service) AS kind, sum(jobs)::bigint AS jobs, ${sumsOf('jobs')},
  CASE WHEN grouping(period, reason, service) = ${TOTAL} THEN (
    SELECT ARRAY[${RANGES.map((range) => `sum(counts[${range}])`).join(', ')}]::bigint[]
    FROM periods WHERE phase = 'Succeeded'
  ) END AS counts
FROM periods
GROUP BY GROUPING SETS ((period), (reason), (service, bucket), ())
ORDER BY kind, period`;

const USAGE = `
SELECT project_uid AS "projectUid", date_trunc('day', hour, 'UTC') AS day, ${sumsOf('jobs')}
FROM zipjobs.usage_hours WHERE project_uid = ANY ($1::uuid[]) AND hour >= $2 AND hour < $3
GROUP BY project_uid, date_trunc('day', hour, 'UTC')
ORDER BY project_uid, date_trunc('day', hour, 'UTC')`;

interface StatisticsRow extends Totals {
  readonly kind: number;
  readonly from: string | null;
  readonly reason: string | null;
  readonly service: string | null;
  readonly bucketName: string | null;
  readonly jobs: number;
  readonly counts: readonly (number | null)[] | null;
}

const NOTHING: Totals = { succeeded: 0, failed: 0, cancelled: 0, files: 0, bytes: 0 };

function totalsOf({ succeeded, failed, cancelled, files, bytes }: Totals): Totals {
  return {
    succeeded,
    failed,
    cancelled,
    files,
    bytes,
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function failuresOf(rows: readonly StatisticsRow[]): Statistics['failures'] {
  return rows
    .filter(({ kind, failed }) => kind === BY_REASON && failed > 0)
    .map(({ reason, failed }) => ({ reason: reason ?? '', jobs: failed }))
    .sort((a, b) => b.jobs - a.jobs || compare(a.reason, b.reason))
    .slice(0, MOST_ROWS);
}

function bucketsOf(rows: readonly StatisticsRow[]): Statistics['buckets'] {
  return rows
    .filter(({ kind }) => kind === BY_BUCKET)
    .map(({ service, bucketName, jobs, bytes }) => ({
      service: service ?? '',
      bucketName: bucketName ?? '',
      jobs,
      bytes,
    }))
    .sort((a, b) => b.jobs - a.jobs || compare(a.bucketName, b.bucketName) || compare(a.service, b.service))
    .slice(0, MOST_ROWS);
}

function durationsOf(counts: readonly number[]): Pick<Statistics, 'durations'> {
  const [p50, p95] = [0.5, 0.95].map((share) => percentileOf(counts, DURATION_BOUNDS_MS, share));
  return p50 === undefined || p95 === undefined ? {} : { durations: { p50, p95 } };
}

function floorTo(time: Date, unitMs: number): Date {
  return new Date(Math.floor(time.getTime() / unitMs) * unitMs);
}

function ceilTo(time: Date, unitMs: number): Date {
  return new Date(Math.ceil(time.getTime() / unitMs) * unitMs);
}

function refuse(what: string): never {
  throw new AppError(`The figures are limited to ${what}. Choose a shorter time.`, {
    code: 'InvalidRange',
    retryable: false,
  });
}

/** @throws AppError with code `InvalidRange` */
function unitsOf(from: Date, to: Date, unitMs: number): number {
  const units = (to.getTime() - from.getTime()) / unitMs;
  // Also NaN, of an invalid time.
  return units >= 0 ? units : refuse('a valid time, with its end after its start');
}

export function createFigures({ database }: { database: Pick<HistoryDatabase, 'query'> }): Figures {
  return {
    statistics: async ({ projectUid, from: asked, to: askedTo, by, signal }) => {
      const [from, to] = [floorTo(asked, HOUR_MS), ceilTo(askedTo, HOUR_MS)];
      if (unitsOf(from, to, by === 'hour' ? HOUR_MS : DAY_MS) > MAX_PERIODS) refuse(`${MAX_PERIODS} ${by}s`);
      const values = [projectUid, from.toISOString(), to.toISOString(), by];
      const rows = await database.query<StatisticsRow>({ text: STATISTICS, values }, signal);
      const total = rows.find(({ kind }) => kind === TOTAL);
      return {
        total: totalsOf(total ?? NOTHING),
        periods: rows
          .filter(({ kind }) => kind === BY_PERIOD)
          .map((row) => ({ from: row.from ?? '', ...totalsOf(row) })),
        failures: failuresOf(rows),
        buckets: bucketsOf(rows),
        ...durationsOf((total?.counts ?? []).map((count) => count ?? 0)),
      };
    },
    usageByDay: async ({ projectUids, from: asked, to: askedTo, signal }) => {
      const [from, last] = [floorTo(asked, DAY_MS), floorTo(askedTo, DAY_MS)];
      const to = new Date(last.getTime() + DAY_MS);
      const days = unitsOf(from, to, DAY_MS);
      if (days > MAX_DAYS || days * projectUids.length > MAX_PROJECT_DAYS)
        refuse(`${MAX_DAYS} days, and ${MAX_PROJECT_DAYS} days of all projects together`);
      const values = [projectUids, from.toISOString(), to.toISOString()];
      const rows = await database.query<ProjectDay>({ text: USAGE, values }, signal);
      return rows.map((row) => ({ projectUid: row.projectUid, day: row.day, ...totalsOf(row) }));
    },
  };
}
