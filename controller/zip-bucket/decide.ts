import { isDeepStrictEqual } from 'node:util';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { findCondition, REASONS, setCondition } from '#crds/conditions.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipBucketStatus } from '#crds/zip-bucket.ts';
import { isFinished } from '#crds/zip-job.ts';
import { firstOf } from '#runtime/collections/first-of.ts';
import { holdsFinalizer } from '#runtime/kube/finalizer.ts';
import { commandOf } from '../cluster/command.ts';
import { isSuspended, queueOf } from '../cluster/job-state.ts';
import { isForced, isLeaving } from '../cluster/release.ts';
import { POD_GRACE_PERIOD_MS } from '../zip-job/policies/pod-not-created.ts';
import { settingsIn } from '../zip-job/policies/pod-settings.ts';
import { withoutCount } from './count-change.ts';
import type {
  BucketAction,
  BucketConfig,
  BucketDecision,
  BucketMoment,
  BucketObservation,
  BucketTest,
} from './observation.ts';
import { testJob, testJobName } from './test-manifest.ts';
import { testResponse, withTestResponse } from './test-response.ts';

/** A Job that has no pod by then is probably refused one. */
const POD_CHECK_MS = POD_GRACE_PERIOD_MS + 500;

interface Step {
  readonly status: ZipBucketStatus;
  readonly actions: readonly BucketAction[];
  readonly requeueAfterMs?: number;
}

function removal({ tests }: BucketObservation, wanted?: string): readonly BucketAction[] {
  return tests
    .filter(({ job }) => job.metadata.name !== wanted && !isLeaving(job.metadata))
    .map(({ job }) => ({ kind: 'deleteTest', name: job.metadata.name, uid: uidOf(job) }));
}

function unfinishedOf({ zipJobs }: BucketObservation) {
  return zipJobs.filter((zipJob) => !isFinished(zipJob));
}

function heldBy(seen: BucketObservation) {
  return seen.isProjectLeaving ? unfinishedOf(seen) : seen.zipJobs;
}

function waitedFor(seen: BucketObservation): string {
  const names = unfinishedOf(seen)
    .map(({ metadata }) => metadata.name)
    .sort();
  const unfinished = names.length > 0 ? `: ${firstOf(names)}` : '';
  const finished = heldBy(seen).length - names.length;
  return `waits until no ZipJob refers to it: ${names.length} unfinished${unfinished}; ${finished} finished. To delete it now and fail its unfinished jobs, set the annotation ${ANNOTATIONS.forceDelete}=true`;
}

/** Releases a bucket that is being deleted once no job refers to it, or at once if forced. */
function leaving(seen: BucketObservation, status: ZipBucketStatus, now: Date): Step {
  function release(forced?: 'NamespaceTerminating' | 'Forced'): Step {
    return {
      status: seen.bucket.status ?? {},
      actions: [{ kind: 'releaseFinalizer', ...(forced && { forced }) }],
    };
  }
  if (!holdsFinalizer(seen.bucket.metadata)) return { status: seen.bucket.status ?? {}, actions: [] };
  if (seen.isNamespaceTerminating) return release('NamespaceTerminating');
  if (heldBy(seen).length === 0) return release();
  if (isForced(seen.bucket.metadata)) return release('Forced');
  const waiting = {
    type: 'Waiting',
    status: 'True',
    reason: 'JobsExist',
    message: waitedFor(seen),
  } as const;
  return {
    status: { ...status, conditions: setCondition(status.conditions, waiting, now) },
    actions: removal(seen),
  };
}

/** Requeues a test without a pod, because no event says that one is refused. */
function waitMs({ pods }: BucketTest, until: Date, { now }: BucketMoment): number {
  const untilMs = until.getTime() - now.getTime();
  return pods.length > 0 ? untilMs : Math.min(untilMs, POD_CHECK_MS);
}

function quotaActions({ quota }: BucketTest): readonly BucketAction[] {
  return quota?.isFreeable === true ? [{ kind: 'freeQuota', refusal: quota.refusal }] : [];
}

/** Kueue may suspend every Job that is in no queue. Such a test is replaced by one in the queue of the project. */
function wantedQueue({ project }: BucketObservation, { job }: BucketTest): string | undefined {
  const isInNone = isSuspended(job) && queueOf(job) === undefined && !isLeaving(job.metadata);
  return isInNone ? project?.spec.jobDefaults?.queueName : undefined;
}

function testing(seen: BucketObservation, status: ZipBucketStatus, at: BucketMoment): Step {
  const { bucket } = seen;
  const nonce = commandOf(bucket.metadata, ANNOTATIONS.testBucket, bucket.status?.test?.nonce);
  if (nonce === undefined) return { status, actions: removal(seen) };
  const name = testJobName(bucket, nonce);
  const others = removal(seen, name);
  const test = seen.tests.find(({ job }) => job.metadata.name === name);
  const queueName = test && wantedQueue(seen, test);
  if (!test || queueName !== undefined) {
    const job = testJob(bucket, nonce, { ...at.config, queueName });
    return { status, actions: [...removal(seen), { kind: 'startTest', nonce, job }] };
  }
  const response = testResponse({ ...test, bucket }, at);
  if ('until' in response)
    return {
      status,
      actions: [...others, ...quotaActions(test)],
      requeueAfterMs: waitMs(test, response.until, at),
    };
  // The next reconcile deletes the Job, when the result is in the status.
  return { status: withTestResponse(bucket, status, { nonce, response, now: at.now }), actions: others };
}

/** The condition that says whether the queue of the bucket is held, if it changes. */
function heldCondition({ bucket, isHeld }: BucketObservation) {
  const known = findCondition(bucket.status?.conditions, 'Held')?.status === 'True';
  if (known === isHeld) return undefined;
  const reason = isHeld ? 'StoreAway' : 'StoreResponds';
  const status = isHeld ? 'True' : 'False';
  return { type: 'Held', status, reason, message: REASONS[reason] } as const;
}

/** Decides the next step for one ZipBucket. Pure: the decision depends only on the arguments. */
export function decideBucket(seen: BucketObservation, now: Date, config: BucketConfig): BucketDecision {
  const { metadata, status: before = {} } = seen.bucket;
  if (!isLeaving(metadata) && !holdsFinalizer(metadata)) return { actions: [{ kind: 'addFinalizer' }] };
  const held = heldCondition(seen);
  const status = {
    ...before,
    activeJobs: seen.unfinishedJobs,
    ...(held && { conditions: setCondition(before.conditions, held, now) }),
  };
  const at = { now, config: settingsIn(seen.project, config) };
  const step = isLeaving(metadata) ? leaving(seen, status, now) : testing(seen, status, at);
  const { status: next, ...rest } = step;
  if (isDeepStrictEqual(next, before)) return rest;
  const isCountOnly = isDeepStrictEqual(withoutCount(next), withoutCount(before));
  const type = seen.isHeld ? 'Warning' : 'Normal';
  return {
    ...rest,
    status: next,
    ...(isCountOnly && { isCountOnly }),
    ...(held && { event: { type, reason: held.reason, message: held.message } }),
  };
}
