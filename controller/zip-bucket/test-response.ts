import {
  type Condition,
  type ConditionChange,
  REASONS,
  rfc3339,
  setCondition,
  shorten,
} from '#crds/conditions.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { BucketCheck } from '#crds/termination-message.ts';
import type { ZipBucket, ZipBucketStatus } from '#crds/zip-bucket.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { missingText } from '#runtime/store/bucket-permissions.ts';
import { isJobFinished, jobFailure } from '../cluster/job-state.ts';
import { isDisrupted, isEnded, terminationOf } from '../cluster/pod-state.ts';
import { startError, suspension, whyNoContainer } from '../cluster/pod-waiting.ts';
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

/** Only the list of parts says which of them a later pod can keep. */
const CONTINUING = 's3:ListMultipartUploadParts';

function fenceOf({ missingPermissions }: BucketCheck): Verdict {
  const lost = missingPermissions.includes(CONTINUING)
    ? ' An archive whose pod is lost starts again from its first file.'
    : '';
  const limitation = LIMITATIONS.find(([kind]) => missingPermissions.some((name) => kind.test(name)));
  const reason = limitation?.[1] ?? 'AllPermitted';
  return {
    status: reason === 'AllPermitted' ? 'False' : 'True',
    reason,
    message: `${REASONS[reason]}${lost}${missingText(missingPermissions)}`,
  };
}

/** The store refuses a HEAD, which needs the same permission as the files of jobs, also if only that to list is missing. */
const READS_REFUSED = ' The bucket is readable, but jobs cannot read its files without s3:GetObject.';

function ofCheck(check: BucketCheck, isReadable: boolean): TestResponse {
  const { ok, failure, missingPermissions } = check;
  const missing = missingText(missingPermissions);
  const reads = isReadable && missingPermissions.some((name) => READING.test(name)) ? READS_REFUSED : '';
  if (ok)
    return {
      ready: { status: 'True', reason: 'BucketTested', message: `${REASONS.BucketTested}${reads}${missing}` },
      fence: fenceOf(check),
    };
  const what = failure ? describeFailure(failure, failure.code) : REASONS.BucketTestFailed;
  return failed(failure?.code ?? 'BucketTestFailed', `${what}${missing}`);
}

function terminationMessage({ pods, bucket }: TestOfBucket): TestResponse | undefined {
  for (const pod of pods.filter(isEnded)) {
    const message = terminationMessageOf(pod);
    if (message && 'check' in message) return ofCheck(message.check, bucket.spec.readable === true);
    if (message && 'failure' in message)
      return failed(message.failure.code, describeFailure(message.failure, message.failure.code));
  }
  return undefined;
}

/** The exit of a pod that reported nothing else. */
function crash(pod: Pod): TestResponse {
  const notStarted = startError(pod);
  if (notStarted) return failed(notStarted.reason, notStarted.message);
  const { exitCode = 0, reason = 'Error' } = terminationOf(pod) ?? {};
  const text = `pod ${pod.metadata.name} reported no result: ${reason}, exit code ${exitCode}`;
  return failed('BucketTestFailed', exitCode === EXIT_CODES.ok ? REASONS.BucketTestFailed : text);
}

/** The result at the time limit: includes every possible cause, because no better information follows. */
function timedOut({ job, pods, podRefusal }: BucketTest, seconds: number): TestResponse {
  const wait = whyNoContainer({ pods, warning: suspension(job) ?? podRefusal }, END_OF_TIME);
  const why = wait ? `: ${wait.reason}: ${wait.message}` : '';
  return failed(
    wait?.reason ?? 'BucketTestFailed',
    `Job ${job.metadata.name} did not finish within ${seconds} s${why}`,
  );
}

/** Counted from the creation of the Job, or from when finished Jobs last could make room in the quota that refuses its pod. */
function deadlineOf({ job, quota }: BucketTest, { now, config }: BucketMoment): Date {
  const created = timeOf(job.metadata.creationTimestamp) ?? now.getTime();
  return new Date(Math.max(created, quota?.freeableAt?.getTime() ?? 0) + config.bucketTestSeconds * 1000);
}

export interface TestOfBucket extends BucketTest {
  readonly bucket: ZipBucket;
}

/** The result of a test, or the deadline for the result. */
export function testResponse(test: TestOfBucket, at: BucketMoment): TestResponse | { readonly until: Date } {
  const response = terminationMessage(test);
  if (response) return response;
  const { job, pods } = test;
  const until = deadlineOf(test, at);
  if (at.now >= until) return timedOut(test, at.config.bucketTestSeconds);
  const failure = jobFailure(job);
  if (failure) return failed('BucketTestFailed', `Job ${job.metadata.name}: ${failure.reason}`);
  const crashed = pods.find((pod) => isEnded(pod) && terminationOf(pod) !== undefined && !isDisrupted(pod));
  if (crashed) return crash(crashed);
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
