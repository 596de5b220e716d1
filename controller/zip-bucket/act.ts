import type { ZipBucket, ZipBucketStatus } from '#crds/zip-bucket.ts';
import { isKubeError, type KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { type ObjectClient, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { ApplyStatus } from '../reconciling/apply-status.ts';
import type { EventLane } from '../reconciling/event-lane.ts';
import type { Finalizers } from '../reconciling/finalizers.ts';
import { type Outcome, tolerateChanges } from '../reconciling/reconcile.ts';
import { refusalAfter } from '../reconciling/refusal.ts';
import type { QuotaRoom } from '../zip-job/lifetime/quota-room.ts';
import type { CountWrites } from './count-writes.ts';
import type { BucketAction, BucketDecision, BucketObservation } from './observation.ts';
import type { TestPlaces } from './test-places.ts';
import { withTestResponse } from './test-response.ts';

export interface ActOnBucketOptions {
  readonly applyStatus: ApplyStatus<ZipBucket, ZipBucketStatus>;
  readonly jobs: Pick<ObjectClient<Job>, 'create' | 'delete'>;
  readonly finalizers: Finalizers<ZipBucket>;
  readonly clock: Pick<Clock, 'date'>;
  readonly countWrites: CountWrites;
  readonly testPlaces: TestPlaces;
  readonly quotaRoom: QuotaRoom;
  readonly recordEvent: EventLane['add'];
  /** Reconciles the bucket again after `ms`. */
  readonly requeue: (bucket: ObjectKey, ms: number) => void;
}

/** Rejections to report to the user. After any other error, the test is retried automatically. */
function isReported(error: unknown): error is KubeError {
  return isKubeError(error, 'QuotaExceeded', 'Forbidden', 'Invalid', 'BadRequest', 'TooLarge');
}

/** A test takes seconds, and so does a deletion. */
const RETRY_MS = 2_000;

/** Waits for a place, and for room in a quota. Finishes the test if the API server rejects its Job. */
async function startTest(
  options: ActOnBucketOptions,
  bucket: ZipBucket,
  { nonce, job }: Extract<BucketAction, { kind: 'startTest' }>,
): Promise<void> {
  if (!options.testPlaces.take(objectKey(bucket))) {
    options.requeue(objectKey(bucket), RETRY_MS);
    return;
  }
  try {
    await options.jobs.create(job);
  } catch (error) {
    if (!isReported(error)) throw error;
    const now = options.clock.date();
    const refusal = refusalAfter(undefined, error, { target: 'archive', now });
    const quota = refusal.quota && options.quotaRoom.look(bucket.metadata.namespace, refusal.quota);
    if (quota?.isFreeable === true) {
      await options.quotaRoom.free(bucket.metadata.namespace, quota.refusal);
      options.requeue(objectKey(bucket), RETRY_MS);
      return;
    }
    const { reason, message } = { ...refusal, ...quota };
    const response = { ready: { status: 'False', reason, message } } as const;
    const status = withTestResponse(bucket, bucket.status ?? {}, { nonce, response, now });
    await options.applyStatus(bucket, status);
  }
}

async function perform(options: ActOnBucketOptions, bucket: ZipBucket, action: BucketAction): Promise<void> {
  switch (action.kind) {
    case 'addFinalizer':
      await options.finalizers.add(bucket);
      return;
    case 'releaseFinalizer':
      await options.finalizers.release(bucket, action.forced);
      return;
    case 'freeQuota':
      await options.quotaRoom.free(bucket.metadata.namespace, action.refusal);
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
}

/** Whether a status may be written now. A count waits for its place, and what else has to be done does not wait for it. */
function mayWrite(
  { countWrites, requeue }: ActOnBucketOptions,
  bucket: ZipBucket,
  { isCountOnly = false }: BucketDecision,
): boolean {
  const key = objectKey(bucket);
  const waitMs = isCountOnly ? countWrites.reserve(key) : 0;
  if (!isCountOnly) countWrites.release(key);
  if (waitMs > 0) requeue(key, waitMs);
  return waitMs === 0;
}

/** Carries out a decision about a ZipBucket: writes the status, or else runs the actions in order. */
export function createActOnBucket(options: ActOnBucketOptions) {
  return ({ bucket, tests }: BucketObservation, decision: BucketDecision): Promise<Outcome<object>> =>
    tolerateChanges(async () => {
      if (tests.length > 0) options.testPlaces.keep(objectKey(bucket));
      else options.testPlaces.release(objectKey(bucket));
      const { status, actions } = decision;
      const isAllowed = mayWrite(options, bucket, decision);
      // The event of this write triggers the remaining steps.
      if (status && isAllowed) {
        await options.applyStatus(bucket, status);
        if (decision.event) options.recordEvent(bucket, decision.event);
      } else for (const action of actions) await perform(options, bucket, action);
      return { kind: 'done' };
    });
}
