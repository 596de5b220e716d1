import { FIELD_MANAGERS, GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipBucket, ZipBucketStatus } from '#crds/zip-bucket.ts';
import type { Clock } from '#runtime/clock.ts';
import { isKubeError, type KubeError } from '#runtime/kube/kube-error.ts';
import type { Job } from '#runtime/kube/resources.ts';
import type { ObjectClient, ObjectKey } from '#runtime/kube/types.ts';
import type { Finalizers } from '../engine/finalizers.ts';
import { refusalAfter } from '../engine/refusal.ts';
import { decideBucket } from './decide.ts';
import type { BucketAction, BucketConfig } from './observation.ts';
import type { ObserveBucket } from './observe.ts';
import { withTestResponse } from './test-response.ts';

export interface ReconcileBucketOptions {
  readonly observe: ObserveBucket;
  readonly buckets: Pick<ObjectClient<ZipBucket>, 'apply'>;
  readonly jobs: Pick<ObjectClient<Job>, 'create' | 'delete'>;
  readonly finalizers: Finalizers<ZipBucket>;
  readonly config: BucketConfig;
  readonly clock: Pick<Clock, 'date'>;
}

/** Long enough for the watch to deliver the conflicting version. */
const AFTER_CONFLICT_MS = 200;

const writeStatus = async (
  { buckets }: ReconcileBucketOptions,
  { metadata }: ZipBucket,
  status: ZipBucketStatus,
): Promise<void> => {
  const { namespace, name, resourceVersion } = metadata;
  await buckets.apply(
    {
      apiVersion: GROUP_VERSION,
      kind: 'ZipBucket',
      metadata: { namespace, name, ...(resourceVersion !== undefined && { resourceVersion }) },
      status,
    },
    { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
  );
};

/** Rejections to report to the user; after any other, the test is retried automatically. */
const isReported = (error: unknown): error is KubeError =>
  isKubeError(error, 'QuotaExceeded', 'Forbidden', 'Invalid', 'BadRequest', 'TooLarge');

/** A test whose Job the API server rejects is finished. */
const startTest = async (
  options: ReconcileBucketOptions,
  bucket: ZipBucket,
  { nonce, job }: Extract<BucketAction, { kind: 'startTest' }>,
): Promise<void> => {
  try {
    await options.jobs.create(job);
  } catch (error) {
    if (!isReported(error)) throw error;
    const now = options.clock.date();
    const { reason, message } = refusalAfter(undefined, error, { target: 'archive', now });
    const response = { ready: { status: 'False', reason, message } } as const;
    await writeStatus(
      options,
      bucket,
      withTestResponse(bucket, bucket.status ?? {}, { nonce, response, now }),
    );
  }
};

const perform = async (
  options: ReconcileBucketOptions,
  bucket: ZipBucket,
  action: BucketAction,
): Promise<void> => {
  switch (action.kind) {
    case 'addFinalizer':
      await options.finalizers.add(bucket);
      return;
    case 'releaseFinalizer':
      await options.finalizers.release(bucket, action.forced);
      return;
    case 'startTest':
      await startTest(options, bucket, action);
      return;
    case 'deleteTest':
      await options.jobs.delete(bucket.metadata.namespace, action.name, {
        uid: action.uid,
        propagationPolicy: 'Background',
      });
  }
};

/**
 * Reconciles one ZipBucket; its writes come back as events. Returns the requeue delay in milliseconds, for when
 * nothing changes.
 */
export const createReconcileBucket =
  (options: ReconcileBucketOptions) =>
  async (key: ObjectKey): Promise<number | undefined> => {
    const seen = await options.observe(key);
    if (!seen) return undefined;
    const { status, actions, requeueAfterMs } = decideBucket(seen, {
      now: options.clock.date(),
      config: options.config,
    });
    try {
      // The event of this write triggers the remaining steps.
      if (status) await writeStatus(options, seen.bucket, status);
      else for (const action of actions) await perform(options, seen.bucket, action);
    } catch (error) {
      if (isKubeError(error, 'Conflict')) return AFTER_CONFLICT_MS;
      if (!isKubeError(error, 'NotFound', 'NamespaceTerminating')) throw error;
    }
    return requeueAfterMs;
  };
