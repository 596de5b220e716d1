import { PROGRESS_INTERVAL_MS } from '#runtime/zip-request/zipper-settings.ts';
import type { OwnedStatus, Situation } from '../observation.ts';

/** The caches do not contain the managed fields of a ZipJob, which are stored with it. */
const MANAGED_FIELDS_BYTES = 4096;
/** The interval becomes shorter only if at most this part of it is needed. */
const RELAX_BELOW = 1 / 4;
/** A reconcile this soon after a progress write is due to that write. */
const FRESH_MS = 1000;

function ownSeconds({ config }: Situation): number {
  return Number(config.taskSettings['statusProgressIntervalMs'] ?? PROGRESS_INTERVAL_MS) / 1000;
}

/** At this interval, equal shares of the jobs use up one of the budgets. */
function neededSeconds({ seen, config }: Situation): number {
  const { reportingJobs = 1, zipJob } = seen;
  const bytes = Buffer.byteLength(JSON.stringify(zipJob)) + MANAGED_FIELDS_BYTES;
  const share = Math.max(1 / config.progressWritesPerSecond, bytes / config.progressBytesPerSecond);
  return Math.max(1, reportingJobs) * share;
}

/** Seconds between two progress writes of the job; undefined if its zipper's own setting is enough. A power of two, or the maximum. */
function intervalSeconds(s: Situation, current: number | undefined): number | undefined {
  const needed = neededSeconds(s);
  const max = s.config.progressIntervalMaxSeconds;
  const isEnough = current !== undefined && current <= max && (needed <= current || current === max);
  if (isEnough && needed > current * RELAX_BELOW) return current;
  if (needed <= ownSeconds(s)) return undefined;
  return Math.min(max, 2 ** Math.max(0, Math.ceil(Math.log2(needed))));
}

function withInterval(
  { progressIntervalSeconds: _before, ...status }: OwnedStatus,
  seconds: number | undefined,
): OwnedStatus {
  return seconds === undefined ? status : { ...status, progressIntervalSeconds: seconds };
}

/** For a pod that becomes active: its first write returns the interval. */
export function withFirstInterval(s: Situation, status: OwnedStatus): OwnedStatus {
  return withInterval(status, intervalSeconds(s, undefined));
}

/**
 * For a running job. The interval changes only right after a progress write, so that a change for thousands of jobs is spread
 * like their progress.
 */
export function withNextInterval(s: Situation, status: OwnedStatus): OwnedStatus {
  const { seen, now } = s;
  const isFresh = seen.seenProgress && now.getTime() - seen.seenProgress.since.getTime() < FRESH_MS;
  const current = status.progressIntervalSeconds;
  return isFresh === true ? withInterval(status, intervalSeconds(s, current)) : status;
}

/** For a pod that writes no progress any more. */
export function withoutInterval(status: OwnedStatus): OwnedStatus {
  return withInterval(status, undefined);
}
