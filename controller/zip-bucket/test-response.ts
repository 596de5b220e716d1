import {
  type Condition,
  type ConditionChange,
  REASONS,
  rfc3339,
  setCondition,
  shorten,
} from '#crds/conditions.ts';
import type { BucketCheck } from '#crds/termination-message.ts';
import type { ZipBucket, ZipBucketStatus } from '#crds/zip-bucket.ts';
import { defined } from '#runtime/collections/optional.ts';
import { missingText } from '#runtime/store/bucket-permissions.ts';
import { isJobFinished, jobFailure } from '../cluster/job-state.ts';
import { isEnded } from '../cluster/pod-state.ts';
import { podWaiting } from '../cluster/pod-waiting.ts';
import { describeFailure, terminationMessageOf } from '../cluster/termination-message.ts';
import { timeOf } from '../cluster/times.ts';
import type { BucketMoment, BucketTest } from './observation.ts';

const END_OF_TIME = new Date(8.64e15);

type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

/** Result of a test. `fence` is set only if the store was reached. */
export interface TestResponse {
  readonly ready: Verdict;
  readonly fence?: Verdict;
}

function failed(reason: string, message: string): TestResponse {
  return {
    ready: { status: 'False', reason, message },
  };
}

/** Permission names as the zipper's check reports them. */
const READING = /^s3:GetObject/;
const ABORTING = /^s3:AbortMultipartUpload$/;
const LISTING = /^s3:List/;

/** The most important limitation comes first. */
const LIMITATIONS = [
  [READING, 'ReadForbidden'],
  [ABORTING, 'AbortForbidden'],
  [LISTING, 'ListForbidden'],
] as const;

function fenceOf({ missingPermissions }: BucketCheck): Verdict {
  const limitation = LIMITATIONS.find(([kind]) => missingPermissions.some((name) => kind.test(name)));
  const reason = limitation?.[1] ?? 'AllPermitted';
  return {
    status: reason === 'AllPermitted' ? 'False' : 'True',
    reason,
    message: `${REASONS[reason]}${missingText(missingPermissions)}`,
  };
}

function ofCheck(check: BucketCheck): TestResponse {
  const { ok, failure, missingPermissions } = check;
  const missing = missingText(missingPermissions);
  if (ok)
    return {
      ready: { status: 'True', reason: 'BucketTested', message: `${REASONS.BucketTested}${missing}` },
      fence: fenceOf(check),
    };
  const what = failure ? describeFailure(failure, failure.code) : REASONS.BucketTestFailed;
  return failed(failure?.code ?? 'BucketTestFailed', `${what}${missing}`);
}

function terminationMessage({ pods }: BucketTest): TestResponse | undefined {
  for (const pod of pods.filter(isEnded)) {
    const message = terminationMessageOf(pod);
    if (message && 'check' in message) return ofCheck(message.check);
    if (message && 'failure' in message)
      return failed(message.failure.code, describeFailure(message.failure, message.failure.code));
  }
  return undefined;
}

/** The result at the time limit: includes every possible cause, because no better information follows. */
function timedOut({ job, pods }: BucketTest, seconds: number): TestResponse {
  const wait = pods.map((pod) => podWaiting(pod, END_OF_TIME)).find((one) => one !== undefined);
  const why = wait ? `: ${wait.reason}: ${wait.message}` : '';
  return failed(
    wait?.reason ?? 'BucketTestFailed',
    `Job ${job.metadata.name} did not finish within ${seconds} s${why}`,
  );
}

/** The result of a test, or the deadline for the result. */
export function testResponse(
  test: BucketTest,
  { now, config }: BucketMoment,
): TestResponse | { readonly until: Date } {
  const response = terminationMessage(test);
  if (response) return response;
  const { job, pods } = test;
  const seconds = config.bucketTestSeconds;
  const until = new Date((timeOf(job.metadata.creationTimestamp) ?? now.getTime()) + seconds * 1000);
  if (now >= until) return timedOut(test, seconds);
  const failure = jobFailure(job);
  if (failure) return failed('BucketTestFailed', `Job ${job.metadata.name}: ${failure.reason}`);
  // A finished Job has a finished pod, but the pod cache may lag behind.
  return isJobFinished(job) && pods.some(isEnded)
    ? failed('BucketTestFailed', REASONS.BucketTestFailed)
    : { until };
}

/** The status after a test: Ready, missing permissions, and the nonce of the request. */
export function withTestResponse(
  bucket: ZipBucket,
  before: ZipBucketStatus,
  reported: { readonly nonce: string; readonly response: TestResponse; readonly now: Date },
): ZipBucketStatus {
  const { nonce, response, now } = reported;
  const { generation } = bucket.metadata;
  function change(type: ConditionChange['type'], verdict: Verdict): ConditionChange {
    return {
      type,
      ...verdict,
      message: shorten(verdict.message),
      ...defined({ observedGeneration: generation }),
    };
  }
  const ready = setCondition(before.conditions, change('Ready', response.ready), now);
  return {
    ...before,
    conditions: response.fence ? setCondition(ready, change('RecoveryLimited', response.fence), now) : ready,
    test: { nonce, finishedAt: rfc3339(now) },
  };
}
