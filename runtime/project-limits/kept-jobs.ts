import type { ProjectLimits } from '#crds/zip-project.ts';
import { KEPT_LIMITS, type KeptLimits } from '../kube/cache/cache-limits.ts';

/** Each API replica counts by itself what a project stores, so a little more than its class allows can exist. */
const HEADROOM = 1.1;

function atLeast(least: number, limit: number): number {
  return Math.max(least, Math.ceil(limit * HEADROOM));
}

/** What a cache keeps of the ZipJobs of a namespace, and of their Jobs and pods. `classLimits`: of its project; undefined without one. */
export function keptJobs(
  classLimits: Partial<Pick<ProjectLimits, 'storedJobs' | 'storedBytes'>> | undefined,
): KeptLimits {
  return {
    objects: atLeast(KEPT_LIMITS.objects, classLimits?.storedJobs ?? 0),
    bytes: atLeast(KEPT_LIMITS.bytes, classLimits?.storedBytes ?? 0),
  };
}
