import { rfc3339, shorten } from '#crds/conditions.ts';
import { DISRUPTION_EXIT_CODES, EXIT_CODES, FAILURE_CODES, isPermanentExit } from '#crds/exit-codes.ts';
import type { TerminationMessage } from '#crds/termination-message.ts';
import type { Attempt, AttemptClass, Failure, ZipJob } from '#crds/zip-job.ts';
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

/**
 * The upload as the zipper left it. Its status may say `committing` although it never sent Complete, and its failure says so. That
 * nothing remains counts only in a termination message, which also has the uploads that were not recorded.
 */
export function uploadFactsOf(
  zipJob: ZipJob,
  { pod, podUid }: Pick<EndedPod, 'pod' | 'podUid'>,
): UploadFacts {
  const recorded = uploadOf(zipJob, podUid);
  if (!recorded) return {};
  const message = terminationMessageOf(pod);
  const failure = message ? failureIn(message) : zipJob.status?.failure;
  const upload = attemptUpload(failure?.upload === undefined ? recorded : { ...recorded, state: 'open' });
  const isGone = message !== undefined && failure?.upload === 'aborted' && !leavesUploads(message);
  return { upload, ...(isGone && { uploadAborted: true }) };
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
    class: pod && isEnded(pod) ? classify(pod) : 'disruption',
    ...(why ? { reason: why.reason.slice(0, 64), message: shorten(why.message) } : {}),
    ...uploadFactsOf(zipJob, ended),
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
