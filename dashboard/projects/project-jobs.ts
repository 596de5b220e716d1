import type { Phase } from '#crds/zip-job.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { isAboveThreshold } from '../overview/failure-rate.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const RUNNING: readonly Phase[] = ['Running', 'Finalizing'];
const WAITING: readonly Phase[] = ['Queued', 'Starting'];

/** The jobs of a project in the cluster. */
export interface ProjectJobs {
  readonly running: number;
  readonly waiting: number;
  /** In the last 24 hours. */
  readonly failed: number;
  /** Since when `failed` counts, in milliseconds: a whole minute, as in the filters of the list of jobs. */
  readonly failedSince: number;
  /** More of them failed than the threshold allows. */
  readonly isFailing: boolean;
  /** When the newest job was created (RFC 3339); `''` without one. */
  readonly lastJobAt: string;
}

/** Reads no job: each number is a search in an ordered list. */
export function projectJobs(
  { jobs: { choices, order, ended }, history }: Pick<PageDeps, 'jobs' | 'history'>,
  namespace: string,
  now: Date,
): ProjectJobs {
  const nowMs = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  function since(kind: keyof typeof ended, ms: number): number {
    return ended[kind].countSince(namespace, new Date(nowMs - ms).toISOString());
  }
  function isFailingSince(ms: number): boolean {
    const faults = { caller: since('caller', ms), operator: since('operator', ms) };
    return isAboveThreshold(faults, since('succeeded', ms));
  }
  return {
    running: choices.count(namespace, 'phase', RUNNING),
    waiting: choices.count(namespace, 'phase', WAITING),
    failed: since('failed', DAY_MS),
    failedSince: nowMs - DAY_MS,
    // Once a history has them, succeeded jobs leave the cluster after an hour, earlier than failed ones.
    isFailing: isFailingSince(HOUR_MS) || (history === undefined && isFailingSince(DAY_MS)),
    lastJobAt: order.newest(namespace)?.at ?? '',
  };
}
