import { uidOf } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import type { Change, ObjectClient, ObjectKey } from '#runtime/kube/types.ts';
import { zipJobKeyOf } from '../../cluster/caches.ts';
import { isZipperJob } from '../../cluster/ownership.ts';
import { isLeaving } from '../../cluster/release.ts';
import { createDelayed, type DelayedOptions } from './delayed.ts';

export interface OrphanedJobsOptions extends DelayedOptions {
  readonly jobs: Pick<ObjectClient<Job>, 'delete'>;
  readonly findZipJob: (key: ObjectKey) => ZipJob | undefined;
}

/**
 * Deletes Jobs of zippers without an owner. The deletion of a ZipJob or ZipBucket with `--cascade=orphan` takes the owner from all
 * its Jobs, and Kubernetes then never deletes them. A Job of zippers never starts without an owner.
 */
export interface OrphanedJobs {
  see(change: Change<Job>): void;
}

/** The ZipJob may still have to learn how its Job ended. */
const GRACE_PERIOD_MS = 10_000;

/** True if the ZipJob still names this Job, so that its own deletion or end deletes the Job. */
function isNamed({ metadata, status }: ZipJob, job: Job): boolean {
  return !isLeaving(metadata) && status?.job?.uid === job.metadata.uid;
}

function isOrphaned(job: Job): boolean {
  return isZipperJob(job) && (job.metadata.ownerReferences ?? []).length === 0 && !isLeaving(job.metadata);
}

export function createOrphanedJobs({ jobs, findZipJob, ...options }: OrphanedJobsOptions): OrphanedJobs {
  function isUnnamed(job: Job): boolean {
    const key = zipJobKeyOf(job);
    const zipJob = key === undefined ? undefined : findZipJob(key);
    return zipJob === undefined || !isNamed(zipJob, job);
  }
  return createDelayed<Job>(options, {
    delayMs: GRACE_PERIOD_MS,
    isDue: isOrphaned,
    isReady: isUnnamed,
    perform: async (job) => {
      const { namespace, name } = job.metadata;
      await jobs.delete(namespace, name, { uid: uidOf(job), propagationPolicy: 'Background' });
      return 'deleted a Job whose owner was deleted without it';
    },
  });
}
