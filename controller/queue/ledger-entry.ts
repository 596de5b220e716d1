/** What the ledger keeps of a job. */
import { uidOf } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import { bucketKeyOf } from '../cluster/caches.ts';
import { orderOf } from './blocked.ts';
import type { SlotRequest } from './queue-order.ts';
import { isInTrustedQueue } from './trusted-queue.ts';

export interface Entry {
  request: SlotRequest;
  /** `queued`: it has its place in the queue of its key, and requests nothing. */
  state: 'queued' | 'waiting' | 'reserved' | 'running';
  /** It was suspended while it was active. When it is released, it has no place in the queue of its key. */
  isHeld?: boolean;
}

const UNKNOWN = '?';
/** The object that a job writes. ZipBuckets that are not known are different buckets. */
function targetOf(bucket: ObjectKey, place: string | undefined, key: string): string {
  return `${place ?? `${UNKNOWN}${bucket}`}/${key}`;
}

export function targetIn(bucket: ObjectKey, place: string | undefined, { request }: Entry): string {
  return targetOf(bucket, place, request.objectKey);
}

export function isUnknown({ target }: SlotRequest): boolean {
  return target.startsWith(UNKNOWN);
}

export function isActive({ state }: Entry): boolean {
  return state === 'reserved' || state === 'running';
}

export interface RequestOptions {
  /** Jobs in these queues take no slot: while suspended there, they would block others. */
  readonly trustedQueues: readonly string[];
  /** Identifies the bucket of a ZipBucket at its store; undefined if the ZipBucket is not known. */
  readonly physicalBucket: (bucket: ObjectKey) => string | undefined;
}

export function requestOf(zipJob: ZipJob, { trustedQueues, physicalBucket }: RequestOptions): SlotRequest {
  const { namespace } = zipJob.metadata;
  const bucket = bucketKeyOf(zipJob);
  return {
    key: objectKey(zipJob),
    uid: uidOf(zipJob),
    project: namespace,
    bucket,
    target: targetOf(bucket, physicalBucket(bucket), zipJob.spec.key),
    objectKey: zipJob.spec.key,
    order: orderOf(zipJob),
    isLimited: !isInTrustedQueue(zipJob, trustedQueues),
  };
}
