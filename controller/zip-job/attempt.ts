import { rfc3339, shorten } from '#crds/conditions.ts';
import { DISRUPTION_EXIT_CODES, EXIT_CODES, FAILURE_CODES, isPermanentExit } from '#crds/exit-codes.ts';
import type { TerminationMessage } from '#crds/termination-message.ts';
import {
  type Attempt,
  type AttemptClass,
  COUNTED_CLASSES,
  type Failure,
  type ZipJob,
} from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { isDisrupted, isEnded, terminationOf } from '../cluster/pod-state.ts';
import { startError } from '../cluster/pod-waiting.ts';
import { describeFailure, leavesUploads, terminationMessageOf } from '../cluster/termination-message.ts';
import type { OwnedStatus } from './observation.ts';
import { attemptUpload, uploadOf } from './owned-status.ts';

/** Maximum number of attempts in the status. */
const KEPT_ATTEMPTS = 10;

/** Why a pod that did not exit by itself is deactivated. */
export interface Removal {
  readonly reason: string;
  readonly message: string;
}

const OOM_REASON = 'OOMKilled';

/** The kubelet fails a pod that it evicts whatever the exit code of its container, and the Job replaces a failed pod. */
function isSuccess({ status }: Pod, exitCode: number): boolean {
  return exitCode === EXIT_CODES.ok && status?.phase !== 'Failed';
}

/** How a pod ended. Applies the rules in the order of the Job's podFailurePolicy, so that both count the same way. */
export function classify(pod: Pod | undefined): AttemptClass {
  const end = pod && terminationOf(pod);
  if (!pod || !end) return 'disruption';
  if (isSuccess(pod, end.exitCode)) return 'success';
  if (isPermanentExit(end.exitCode)) return 'permanent';
  if (end.reason === OOM_REASON) return 'oom';
  if (isDisrupted(pod) || DISRUPTION_EXIT_CODES.includes(end.exitCode)) return 'disruption';
  return end.exitCode === EXIT_CODES.superseded ? 'superseded' : 'transient';
}

function failureTextOf(code: string): string {
  return Object.entries(FAILURE_CODES).find(([name]) => name === code)?.[1].text ?? 'the zipper failed';
}

function failureIn(message: TerminationMessage): Failure | undefined {
  return 'failure' in message ? message.failure : undefined;
}

/** The failure as the zipper reported it: from its termination message, or else from the status. */
function failureOf(zipJob: ZipJob, pod: Pod): Failure | undefined {
  const message = terminationMessageOf(pod);
  if (message) return failureIn(message);
  return zipJob.status?.progress?.podUid === pod.metadata.uid ? zipJob.status?.failure : undefined;
}

function podView(status: Pod['status'] = {}): Removal {
  const target = status.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const { reason = target?.reason ?? 'PodFailed', message = target?.message } = status;
  return { reason, message: message ?? 'the pod ended before its container reported an exit code' };
}

/** The failure as Kubernetes reports it, if the zipper reported none. */
function outsideView(pod: Pod): Removal | undefined {
  const end = terminationOf(pod);
  if (!end) return podView(pod.status);
  if (end.exitCode === EXIT_CODES.ok) return undefined;
  const message = startError(pod)?.message ?? `the zipper exited with code ${end.exitCode}`;
  return { reason: end.reason ?? 'Error', message };
}

function evidence(zipJob: ZipJob, pod: Pod | undefined): Removal | undefined {
  if (!pod) return { reason: 'PodGone', message: 'the pod was deleted before it reported a result' };
  const failure = failureOf(zipJob, pod);
  if (!failure) return outsideView(pod);
  return { reason: failure.code, message: describeFailure(failure, failureTextOf(failure.code)) };
}

function exitOf(pod: Pod | undefined): Pick<Attempt, 'exitCode'> {
  const end = pod && terminationOf(pod);
  return end ? { exitCode: end.exitCode } : {};
}

function abortFailuresOf(pod: Pod | undefined): Pick<Attempt, 'abortFailures'> {
  const message = terminationMessageOf(pod);
  const { abortFailures = 0 } = message ?? {};
  return abortFailures > 0 ? { abortFailures } : {};
}

type UploadFacts = Pick<Attempt, 'upload' | 'uploadAborted'>;

/** What the failure of a pod says, in its termination message or else in the status. */
function reportOf(zipJob: ZipJob, pod: Pod | undefined): Failure | undefined {
  const message = terminationMessageOf(pod);
  return message ? failureIn(message) : zipJob.status?.failure;
}

/** A pod that recorded no upload has not decided yet whether it continues the inherited one, which is still there. */
function inheritedFacts({ status }: ZipJob): UploadFacts {
  if (!status?.inherits) return {};
  const { uploadId, owner, partSize, checkpoint } = status.inherits;
  return { upload: { uploadId, owner, state: 'open', partSize, checkpoint } };
}

/**
 * True for the upload that the pod created or continued. After it has given up the upload of another pod, its report may be about one
 * that it has not recorded.
 */
function isOwn({ status }: ZipJob, podUid: string): boolean {
  const { owner = podUid, state } = status?.upload ?? {};
  return state !== 'discarded' || owner === podUid || status?.inherits?.adoptedBy === podUid;
}

/**
 * The upload as the zipper left it. Its status may say `committing` although it never sent Complete, and its failure says so. That
 * nothing remains counts only in a termination message, which also has the uploads that were not recorded.
 */
export function uploadFactsOf(
  zipJob: ZipJob,
  { pod, podUid }: Pick<EndedPod, 'pod' | 'podUid'>,
): UploadFacts {
  const recorded = uploadOf(zipJob, podUid);
  if (!recorded) return inheritedFacts(zipJob);
  const outcome = reportOf(zipJob, pod)?.upload;
  const isUncommitted = outcome !== undefined && recorded.state === 'committing';
  const upload = attemptUpload(isUncommitted ? { ...recorded, state: 'open' } : recorded);
  const message = terminationMessageOf(pod);
  const isGone = message !== undefined && outcome === 'aborted' && !leavesUploads(message);
  return { upload, ...(isGone && isOwn(zipJob, podUid) && { uploadAborted: true }) };
}

/**
 * True if another pod can continue the upload that this one left: it is open, has a checkpoint, and the pod did not try to abort it. An
 * abort without a response may still reach the store, and so may a Complete after `committing`, whatever the pod reports.
 */
export function isContinuable(zipJob: ZipJob, ended: Pick<EndedPod, 'pod' | 'podUid'>): boolean {
  const recorded = uploadOf(zipJob, ended.podUid);
  if (!recorded) return zipJob.status?.inherits !== undefined;
  const outcome = reportOf(zipJob, ended.pod)?.upload;
  const isLeft = outcome === undefined || outcome === 'kept';
  return recorded.state === 'open' && recorded.checkpoint !== undefined && isLeft;
}

/** True if the next pod of a checkpointed job need not make again what this one uploaded. */
function hasAdvanced(zipJob: ZipJob, ended: EndedPod): boolean {
  const { checkpointed, progress } = zipJob.status ?? {};
  const upload = uploadOf(zipJob, ended.podUid);
  return (
    checkpointed === true &&
    upload !== undefined &&
    isContinuable(zipJob, ended) &&
    (progress?.bytesUploaded ?? 0) > (upload.resumedBytes ?? 0)
  );
}

/** An attempt counts only if the job has not advanced by it. MAX_DISRUPTIONS limits the others. */
function classOf(zipJob: ZipJob, ended: EndedPod): AttemptClass {
  const { pod } = ended;
  const seen = pod && isEnded(pod) ? classify(pod) : 'disruption';
  const isCounted = COUNTED_CLASSES.some((counted) => counted === seen);
  return isCounted && hasAdvanced(zipJob, ended) ? 'disruption' : seen;
}

/** What the pod kept of the upload of an earlier one, or why it kept nothing. */
function continuationOf(
  zipJob: ZipJob,
  podUid: string,
): Pick<Attempt, 'resumedParts' | 'resumedBytes' | 'refusal'> {
  const { resumedParts, resumedBytes, refusal } = uploadOf(zipJob, podUid) ?? {};
  return defined({ resumedParts, resumedBytes, refusal });
}

/** By the API server's clock: the start time in the status is that of the kubelet, whose clock may be wrong. */
function startOf(pod: Pod | undefined): Pick<Attempt, 'startedAt'> {
  return defined({ startedAt: pod?.metadata.creationTimestamp });
}

export interface EndedPod {
  readonly podUid: string;
  /** The last known pod; undefined if it was deleted. */
  readonly pod: Pod | undefined;
  /** Set if the pod did not exit by itself. */
  readonly removal?: Removal;
}

/** The record of one run of the zipper. */
export function attemptOf(
  zipJob: ZipJob,
  ended: EndedPod,
  at: { readonly n: number; readonly now: Date },
): Attempt {
  const { pod, podUid } = ended;
  const why = pod && isEnded(pod) ? evidence(zipJob, pod) : (ended.removal ?? evidence(zipJob, pod));
  return {
    n: at.n,
    podUid,
    ...startOf(pod),
    finishedAt: rfc3339(at.now),
    ...exitOf(pod),
    ...abortFailuresOf(pod),
    class: classOf(zipJob, ended),
    ...(why ? { reason: why.reason.slice(0, 64), message: shorten(why.message) } : {}),
    ...uploadFactsOf(zipJob, ended),
    ...continuationOf(zipJob, podUid),
  };
}

/** Number of the attempt that is recorded next, counted from 1. Attempts are recorded when they end. */
export function nextAttempt(status: OwnedStatus): number {
  return (status.attempts?.at(-1)?.n ?? 0) + 1;
}

/** Drops the oldest disruption first: all attempts that count against maxAttempts are kept. */
function newest(attempts: readonly Attempt[]): readonly Attempt[] {
  if (attempts.length <= KEPT_ATTEMPTS) return attempts;
  const dropped = Math.max(
    0,
    attempts.slice(0, -1).findIndex((attempt) => attempt.class === 'disruption'),
  );
  return attempts.toSpliced(dropped, 1);
}

/** Adds the record of a pod to the status, once. */
export function withAttempt(
  status: OwnedStatus,
  zipJob: ZipJob,
  ended: EndedPod & { readonly now: Date },
): OwnedStatus {
  if (status.attempts?.some(({ podUid }) => podUid === ended.podUid)) return status;
  const n = nextAttempt(status);
  const attempts = [...(status.attempts ?? []), attemptOf(zipJob, ended, { n, now: ended.now })];
  return { ...status, attempts: newest(attempts), attemptsTotal: n };
}
