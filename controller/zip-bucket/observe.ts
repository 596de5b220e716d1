import { projectKey } from '#crds/api-group.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Event, Job, Pod } from '#runtime/kube/resources.ts';
import { type ObjectClient, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { type Caches, INDEXES } from '../cluster/caches.ts';
import { isJobFinished, jobFailure } from '../cluster/job-state.ts';
import { isControlledBy } from '../cluster/ownership.ts';
import { findPodRefusal } from '../cluster/pod-refusal.ts';
import { isEnded } from '../cluster/pod-state.ts';
import { listPods, podsOf } from '../cluster/pods-of-job.ts';
import { isLeaving } from '../cluster/release.ts';
import type { IsNamespaceTerminating } from '../cluster/terminating-namespaces.ts';
import type { StoreOutages } from '../queue/store-outages.ts';
import type { QuotaRoom } from '../zip-job/lifetime/quota-room.ts';
import { withoutContainer } from '../zip-job/policies/pod-not-created.ts';
import type { BucketObservation, BucketTest } from './observation.ts';
import type { UnfinishedJobs } from './unfinished-jobs.ts';

export interface ObserveBucketOptions {
  readonly caches: Pick<Caches, 'buckets' | 'projects' | 'zipJobs' | 'jobs' | 'pods'>;
  readonly pods: Pick<ObjectClient<Pod>, 'list'>;
  readonly events: Pick<ObjectClient<Event>, 'list'>;
  readonly quotaRoom: Pick<QuotaRoom, 'look'>;
  readonly clock: Pick<Clock, 'date'>;
  readonly unfinishedJobs: Pick<UnfinishedJobs, 'count'>;
  readonly storeOutages: Pick<StoreOutages, 'isHeld'>;
  readonly isNamespaceTerminating: IsNamespaceTerminating;
}

/** The result is in the pod. The cache may contain the finished Job before it contains the ended pod. */
async function testPodsOf({ caches, pods }: ObserveBucketOptions, job: Job): Promise<readonly Pod[]> {
  const cached = podsOf(caches.pods, job.metadata);
  const isOver = isJobFinished(job) || jobFailure(job) !== undefined;
  return !isOver || cached.some(isEnded) ? cached : listPods(pods, job.metadata);
}

async function testOf(options: ObserveBucketOptions, job: Job): Promise<BucketTest> {
  const test = { job, pods: await testPodsOf(options, job) };
  const object = withoutContainer(test, options.clock.date());
  const refused = object && (await findPodRefusal(options.events, object));
  if (!refused) return test;
  const { reason, message } = refused;
  const quota = refused.quota && options.quotaRoom.look(job.metadata.namespace, refused.quota);
  return { ...test, podRefusal: { reason, message: quota?.message ?? message }, quota };
}

async function observe(options: ObserveBucketOptions, bucket: ZipBucket): Promise<BucketObservation> {
  const { caches, isNamespaceTerminating } = options;
  const key = objectKey(bucket);
  const { namespace, name } = bucket.metadata;
  const project = caches.projects.get(projectKey(namespace));
  const tests = caches.jobs
    .byIndex(INDEXES.bucketUid, namespace, uidOf(bucket))
    .filter((job) => isControlledBy(job, 'ZipBucket', bucket.metadata));
  return {
    bucket,
    unfinishedJobs: options.unfinishedJobs.count(key),
    isHeld: options.storeOutages.isHeld(key),
    zipJobs: isLeaving(bucket.metadata) ? caches.zipJobs.byIndex(INDEXES.bucket, namespace, name) : [],
    project,
    isProjectLeaving: project === undefined || isLeaving(project.metadata),
    tests: await Promise.all(tests.map((job) => testOf(options, job))),
    isNamespaceTerminating: isLeaving(bucket.metadata) && (await isNamespaceTerminating(namespace)),
  };
}

/** Undefined if the ZipBucket does not exist. */
export type ObserveBucket = (key: ObjectKey) => Promise<BucketObservation | undefined>;

export function createObserveBucket(options: ObserveBucketOptions): ObserveBucket {
  return async (key) => {
    const bucket = options.caches.buckets.get(key);
    return bucket && observe(options, bucket);
  };
}
