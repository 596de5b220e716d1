import { isFinished, type Phase } from '#crds/zip-job.ts';
import { type Caches, RERUN_INDEX } from '../live/caches.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { FORMAT } from '../ui/format.ts';
import { lookOf, phaseOf } from './job-progress.ts';

/** A job that reran another. */
export interface Rerun {
  readonly name: string;
  readonly href: string;
  readonly phase: Phase;
  readonly look: string;
  readonly isFinished: boolean;
  /** RFC 3339; empty if unknown. */
  readonly createdAt: string;
}

export interface Reruns {
  /** Newest first. */
  readonly rows: readonly Rerun[];
  /** How many are not listed. */
  readonly more: number;
}

export const NO_RERUNS: Reruns = { rows: [], more: 0 };

/** Most reruns on a page. */
const MOST_SHOWN = 5;
/** Most reruns to read and sort for a page; a script can rerun one job thousands of times. */
const MOST_READ = 100;

function toRerun(job: ListedJob): Rerun {
  const { namespace, name, creationTimestamp = '' } = job.metadata;
  const phase = phaseOf(job);
  return {
    name,
    href: FORMAT.path('projects', namespace, 'jobs', name),
    phase,
    look: lookOf(phase),
    isFinished: isFinished(job),
    createdAt: creationTimestamp,
  };
}

function newestFirst(a: ListedJob, b: ListedJob): number {
  return (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '');
}

interface Origin {
  readonly namespace: string;
  readonly name: string;
  readonly creationTimestamp?: string;
}

/**
 * The direct reruns of a job that are still in the cluster, from the cache. The user must be allowed to list jobs. A job with the
 * name of an earlier one has none of its reruns, which are older than itself.
 */
export function rerunsOf(
  zipJobs: Pick<Caches['zipJobs'], 'keysByIndex' | 'get'>,
  { namespace, name, creationTimestamp = '' }: Origin,
): Reruns {
  const keys = zipJobs.keysByIndex(RERUN_INDEX, namespace, name);
  const jobs = keys
    .slice(-MOST_READ)
    .flatMap((key) => zipJobs.get(key) ?? [])
    .filter(({ metadata }) => (metadata.creationTimestamp ?? '') >= creationTimestamp)
    .toSorted(newestFirst);
  const unread = Math.max(0, keys.length - MOST_READ);
  return {
    rows: jobs.slice(0, MOST_SHOWN).map(toRerun),
    more: Math.max(0, jobs.length - MOST_SHOWN) + unread,
  };
}
