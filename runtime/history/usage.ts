import { DURATION_BOUNDS_MS, durationBucket } from './duration-buckets.ts';
import type { HistoryJob } from './history-job.ts';

/** A row of `zipjobs.usage_hours`: the sums of the jobs that ended in this hour with the same bucket, phase and reason. */
export interface UsageHour
  extends Pick<HistoryJob, 'projectUid' | 'service' | 'bucketName' | 'phase' | 'reason'> {
  /** Start of the hour (UTC). */
  readonly hour: string;
  readonly jobs: number;
  readonly files: number;
  readonly bytes: number;
  readonly durationMs: number;
  /** By position in DURATION_BOUNDS_MS. */
  readonly durationCounts: readonly number[];
}

const HOUR_MS = 3_600_000;

function hourOf(time: string): string {
  return new Date(Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS).toISOString();
}

function keyOf({ projectUid, service, bucketName, phase, reason, finishedAt }: HistoryJob): string {
  return JSON.stringify([projectUid, hourOf(finishedAt), service, bucketName, phase, reason]);
}

function nothing({ projectUid, service, bucketName, phase, reason, finishedAt }: HistoryJob): UsageHour {
  return {
    projectUid,
    service,
    bucketName,
    phase,
    reason,
    hour: hourOf(finishedAt),
    jobs: 0,
    files: 0,
    bytes: 0,
    durationMs: 0,
    durationCounts: [...DURATION_BOUNDS_MS, Infinity].map(() => 0),
  };
}

function add(sum: UsageHour, { files, bytes, durationMs }: HistoryJob): UsageHour {
  const bucket = durationMs === null ? undefined : durationBucket(durationMs);
  return {
    ...sum,
    jobs: sum.jobs + 1,
    files: sum.files + files,
    bytes: sum.bytes + bytes,
    durationMs: sum.durationMs + (durationMs ?? 0),
    durationCounts: sum.durationCounts.map((count, at) => (at === bucket ? count + 1 : count)),
  };
}

/** What these jobs add to the usage, in the order of the primary key, so that two writers lock rows in the same order. */
export function usageOf(jobs: readonly HistoryJob[]): readonly UsageHour[] {
  const sums = new Map<string, UsageHour>();
  for (const job of jobs) {
    const key = keyOf(job);
    sums.set(key, add(sums.get(key) ?? nothing(job), job));
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
