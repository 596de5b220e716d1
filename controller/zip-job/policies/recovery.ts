import { findCondition } from '#crds/conditions.ts';
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { Attempt, UploadState, ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { isJobFinished, isSuspended, jobFailure, queueOf, suspendedMs } from '../../cluster/job-state.ts';
import { isEnded } from '../../cluster/pod-state.ts';
import { suspension } from '../../cluster/pod-waiting.ts';
import { gracePeriodEnds, isLeaving } from '../../cluster/release.ts';
import { leavesUploads, terminationMessageOf } from '../../cluster/termination-message.ts';
import { timeOf } from '../../cluster/times.ts';
import { RECOVERY_GRACE_SECONDS } from '../../config/recovery-settings.ts';
import { uploadFactsOf } from '../attempt.ts';
import type { DecisionConfig, Observation } from '../observation.ts';
import { uploadOf } from '../owned-status.ts';
import { runDeadline } from './deadline.ts';
import { LEAST_TIME_MS, overdueAt, recoveryWait, retryAt } from './recovery-job.ts';

/** Maximum time that a deletion waits for a recovery Job. The finalizer is removed within five minutes in any case. */
export const DELETION_GRACE_PERIOD_MS = 280_000;
/** The part of it that is left after the recovery: for the end of the job, and for the history. */
export const STORING_MS = 60_000;

/** What to recover: an upload recorded in the status, or one that only the store may know. */
export type Recovered = UploadState | 'unrecorded';

export interface RecoveryResult {
  readonly kind: 'response';
  readonly outcome: RecoveryOutcome;
  readonly upload: Recovered;
  /** Why recovery gave up, if that is known. */
  readonly why?: string | undefined;
  /** Number of uploads that could not be aborted or found. */
  readonly abortFailures: number;
}

export type RecoveryStep =
  /** The attempt cannot have started an upload. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'start'; readonly attempt: Attempt; readonly upload: Recovered }
  /** Delete this recovery Job, and then start another. */
  | { readonly kind: 'restart'; readonly job: Job }
  /** Replace this recovery Job by one in the queue: Kueue suspended it because it is in none. */
  | {
      readonly kind: 'enqueue';
      readonly job: Job;
      readonly queueName: string;
      readonly attempt: Attempt;
      readonly upload: Recovered;
    }
  | {
      readonly kind: 'wait';
      readonly until: Date | undefined;
      /**
       * When recovery gives up, and why it has not ended yet. Set only while the outcome of the job depends on it. It does not give up
       * while its Job is suspended.
       */
      readonly late?: { readonly giveUpAt: Date | undefined; readonly why: string } | undefined;
    }
  | RecoveryResult;

export type RecoverySettings = Pick<
  DecisionConfig,
  'activeDeadlineSeconds' | 'recoveryDeadlineSeconds' | 'recoveryTimeoutSeconds' | 'recoveryRetrySeconds'
>;

interface At extends RecoverySettings {
  readonly now: Date;
}

interface Limited extends At {
  /** When recovery gives up. */
  readonly end: Date;
}

type Recovery = NonNullable<Observation['recovery']>;

/** One attempt that may have left an upload. */
interface Lost {
  readonly seen: Observation;
  readonly attempt: Attempt;
  readonly upload: Recovered;
}

function unknownOf(upload: Recovered, why?: string): RecoveryResult {
  return {
    kind: 'response',
    outcome: { outcome: 'unknown' },
    upload,
    why,
    abortFailures: 1,
  };
}

export function isCommitting(upload: Recovered): upload is UploadState {
  return upload !== 'unrecorded' && upload.state === 'committing';
}

/** Size of the archive of a committing attempt; at most that of its parts if the attempt did not record it. */
export function archiveBytesOf({ state, archive, parts, partSize }: UploadState): number | undefined {
  if (state !== 'committing') return undefined;
  return archive?.bytes ?? (parts === undefined ? undefined : parts * partSize);
}

/**
 * After CompleteMultipartUpload, only the store knows the outcome of the job, or which missing permission hides it. It is final
 * too when the store has had the time to assemble the archive, and does not show it.
 */
function isFinal(outcome: RecoveryOutcome, upload: Recovered): boolean {
  return (
    !isCommitting(upload) ||
    outcome.outcome !== 'unknown' ||
    outcome.missingPermission !== undefined ||
    outcome.goneBeforeAbort === true
  );
}

function responseOf(recovery: Recovery, upload: Recovered): RecoveryResult | undefined {
  for (const pod of recovery.pods) {
    const message = terminationMessageOf(pod);
    if (message && 'recovered' in message && isFinal(message.recovered, upload))
      return {
        kind: 'response',
        outcome: message.recovered,
        upload,
        abortFailures: message.abortFailures ?? 0,
      };
  }
  return undefined;
}

/**
 * True if the store may have an unrecorded upload. A zipper starts one only after its first progress write. Its termination
 * message says whether the start of an upload got no response, or its abort failed. So only these pods, and pods that were
 * killed or lost, may have left one. If the pod reports only after it was deactivated, its recovery has started already, and the
 * marker upload of that may remain, even while its Job is replaced.
 */
function mayHaveStarted(
  { zipJob, pods, recovery }: Pick<Observation, 'zipJob' | 'pods' | 'recovery'>,
  { podUid, exitCode }: Attempt,
): boolean {
  if (zipJob.status?.progress?.podUid !== podUid) return false;
  if (recovery || exitCode === undefined) return true;
  const pod = pods.find(({ metadata }) => metadata.uid === podUid);
  const message = terminationMessageOf(pod);
  return message === undefined || leavesUploads(message);
}

/**
 * The upload to recover. The record of the attempt knows more than the zipper's field, which has the contents of the archive. A pod
 * that was deactivated before it ended reports only after the record was written.
 */
function toRecover({ zipJob, pods, recovery }: Observation, attempt: Attempt): Recovered | undefined {
  const { podUid } = attempt;
  const pod = pods.find(({ metadata }) => metadata.uid === podUid);
  const late = terminationMessageOf(pod) ? uploadFactsOf(zipJob, { pod, podUid }) : {};
  const { uploadAborted, upload } = { ...attempt, ...late };
  if (uploadAborted === true) return undefined;
  const left = uploadOf(zipJob, podUid);
  if (left) return { ...left, ...upload };
  return upload ?? (mayHaveStarted({ zipJob, pods, recovery }, attempt) ? 'unrecorded' : undefined);
}

/**
 * When recovery ends although the job could wait for its result, because its user asked to end it. Undefined if nobody did. A
 * cancellation has no time of its own; it deactivated the attempt, or came while the attempt was being recovered.
 */
function requestedEnd({ metadata, spec }: ZipJob, lostAt: number): Date | undefined {
  const deleted = gracePeriodEnds(metadata, DELETION_GRACE_PERIOD_MS - STORING_MS);
  if (deleted) return deleted;
  return spec.cancel === true ? new Date(lostAt + DELETION_GRACE_PERIOD_MS) : undefined;
}

function earliest(...times: readonly (Date | undefined)[]): Date | undefined {
  return times.filter((time) => time !== undefined).toSorted((one, other) => Number(one) - Number(other))[0];
}

/** When the recovery began: with the end of the attempt, or later if another pod was to continue its upload until then. */
function lostAtOf({ attempt, seen: { zipJob } }: Lost, { now }: At): number {
  const { inherits, conditions } = zipJob.status ?? {};
  const changedAt = inherits && timeOf(findCondition(conditions, 'Recovered')?.lastTransitionTime);
  return Math.max(timeOf(attempt.finishedAt) ?? now.getTime(), changedAt ?? 0);
}

function createdAt({ job }: Recovery): number {
  return timeOf(job.metadata.creationTimestamp) ?? 0;
}

/** Until then, recovery waits for the Job whatever happens. */
function leastEnd(recovery: Recovery): number {
  return createdAt(recovery) + LEAST_TIME_MS;
}

function openLimitMs({ recoveryDeadlineSeconds }: At): number {
  return (recoveryDeadlineSeconds + RECOVERY_GRACE_SECONDS) * 1000;
}

/**
 * When the recovery of an upload that was not committing ends without a result. That upload can no longer be published, and only
 * its parts may remain: it delays the next attempt or the end of the job no longer than one recovery Job usually takes, however
 * often its Job is refused or replaced. A Job that starts later, because no controller ran, has as much time.
 */
function openEnd(lost: Lost, at: At): number {
  const { recovery, refusal } = lost.seen;
  const lostAt = lostAtOf(lost, at);
  const limitMs = openLimitMs(at);
  // An earlier refusal concerned the recovery Job of an earlier attempt.
  const refused = refusal && refusal.since.getTime() >= lostAt ? refusal.since.getTime() : undefined;
  const first = timeOf(recovery?.job.metadata.creationTimestamp) ?? refused ?? at.now.getTime();
  return (first < lostAt + limitMs ? lostAt : first) + limitMs;
}

/** How long the recovery Jobs of the attempt were suspended in a queue. */
function queuedMs({ attempt, seen: { recovery } }: Lost, { now }: At): number {
  const before = (attempt.queuedSeconds ?? 0) * 1000;
  return recovery && queueOf(recovery.job) !== undefined ? before + suspendedMs(recovery.job, now) : before;
}

/**
 * After `committing`, recovery decides the outcome of the job, so it takes until the deadline of the job, and at least
 * RECOVERY_TIMEOUT_SECONDS without the time in a queue, unless the job is cancelled or deleted.
 */
function commitEnd(lost: Lost, at: At): number {
  const { zipJob, job } = lost.seen;
  const lostAt = lostAtOf(lost, at);
  const deadline = runDeadline(zipJob, job, at)?.getTime() ?? 0;
  const end = Math.max(lostAt + at.recoveryTimeoutSeconds * 1000 + queuedMs(lost, at), deadline);
  return Math.min(end, requestedEnd(zipJob, lostAt)?.getTime() ?? end);
}

/** While finished Jobs make room in the quota that recovery waits for, its end moves, but never beyond one that its user asked for. */
function quotaEnd(lost: Lost, at: At): number {
  const freeableAt = lost.seen.quota?.freeableAt?.getTime() ?? 0;
  const requested = requestedEnd(lost.seen.zipJob, lostAtOf(lost, at))?.getTime() ?? Infinity;
  return Math.min(freeableAt + openLimitMs(at), requested);
}

/** When recovery ends without a result. */
function giveUpAt(lost: Lost, at: At): Date {
  const { recovery } = lost.seen;
  const usual = isCommitting(lost.upload) ? commitEnd(lost, at) : openEnd(lost, at);
  const end = Math.max(usual, quotaEnd(lost, at));
  return recovery ? new Date(Math.max(end, leastEnd(recovery))) : new Date(end);
}

/** A Job whose pods have all ended starts no other one. Beside a sidecar, the Job itself does not end yet. */
function isOver({ job, pods }: Recovery): boolean {
  return isJobFinished(job) || jobFailure(job) !== undefined || (pods.length > 0 && pods.every(isEnded));
}

/** When a recovery Job is replaced that failed, or whose pods do not report. Undefined if too little time is left for another. */
function replacedAt(lost: Lost, recovery: Recovery, at: Limited): Date | undefined {
  // It started late and has its whole time. Another one would have it again, and so on for ever.
  if (!isCommitting(lost.upload) && createdAt(recovery) >= lostAtOf(lost, at) + openLimitMs(at))
    return undefined;
  const due = isOver(recovery) ? retryAt(recovery.job, lostAtOf(lost, at), at) : overdueAt(recovery, at);
  if (due === undefined) return undefined;
  return Math.max(due.getTime(), at.now.getTime()) + LEAST_TIME_MS <= at.end.getTime() ? due : undefined;
}

/** The pod of a failed Job may still run, for example while it is evicted. */
function giveUp(recovery: Recovery, result: RecoveryResult, { now }: At): RecoveryStep {
  const least = new Date(leastEnd(recovery));
  return now >= least ? result : { kind: 'wait', until: least };
}

function whyWaiting({ job, pods }: Recovery, { podRefusal }: Observation, now: Date): string | undefined {
  return recoveryWait(pods, now, suspension(job) ?? podRefusal);
}

/** Waits while the outcome of the job depends on it, and says why. */
function waitLate(
  until: Date | undefined,
  giveUpAt: Date | undefined,
  why: string | undefined,
): RecoveryStep {
  return { kind: 'wait', until, late: why === undefined ? undefined : { giveUpAt, why } };
}

/** The queue for a recovery Job that Kueue suspended because it is in none. */
function wantedQueue({ seen }: Lost, job: Job): string | undefined {
  if (queueOf(job) !== undefined || isLeaving(job.metadata) || !seen.bucket) return undefined;
  return seen.zipJob.spec.queueName ?? seen.project?.spec.jobDefaults?.queueName;
}

/**
 * Waits until the queue admits the Job of a committing attempt: an operator can give the queue more room at any time. Nobody can resume
 * a Job in no queue, so it is replaced: the operator may have excluded the namespace from Kueue since.
 */
function awaitQueue(lost: Lost, recovery: Recovery, at: At): RecoveryStep {
  const { seen, upload } = lost;
  const why = whyWaiting(recovery, seen, at.now);
  const giveUpAt = requestedEnd(seen.zipJob, lostAtOf(lost, at));
  if (giveUpAt && at.now >= giveUpAt) return unknownOf(upload, why);
  const next =
    queueOf(recovery.job) === undefined ? retryAt(recovery.job, lostAtOf(lost, at), at) : undefined;
  if (next && at.now >= next) return { kind: 'restart', job: recovery.job };
  return waitLate(earliest(next, giveUpAt), giveUpAt, why);
}

/** An upload that was not committing waits for a queue no longer than for anything else. */
function followSuspended(lost: Lost, recovery: Recovery, at: At): RecoveryStep | undefined {
  const { attempt, upload } = lost;
  const { job } = recovery;
  if (!isSuspended(job)) return undefined;
  const queueName = wantedQueue(lost, job);
  if (queueName !== undefined) return { kind: 'enqueue', job, queueName, attempt, upload };
  return isCommitting(upload) ? awaitQueue(lost, recovery, at) : undefined;
}

function followJob(lost: Lost, recovery: Recovery, at: Limited): RecoveryStep {
  const { seen, upload } = lost;
  const step = responseOf(recovery, upload) ?? followSuspended(lost, recovery, at);
  if (step) return step;
  const why = whyWaiting(recovery, seen, at.now);
  if (at.now >= at.end) return unknownOf(upload, why);
  const next = replacedAt(lost, recovery, at);
  if (next && at.now >= next) return { kind: 'restart', job: recovery.job };
  const until = next ?? at.end;
  if (isCommitting(upload)) return waitLate(until, at.end, why);
  return next || !isOver(recovery) ? { kind: 'wait', until } : giveUp(recovery, unknownOf(upload, why), at);
}

function followRefusal({ seen, attempt, upload }: Lost, at: Limited): RecoveryStep {
  const { refusal } = seen;
  if (refusal?.target !== 'recover') return { kind: 'start', attempt, upload };
  const why = `${refusal.reason}: ${refusal.message}`;
  if (at.now >= at.end) return unknownOf(upload, why);
  if (at.now >= refusal.retryAt) return { kind: 'start', attempt, upload };
  const late = isCommitting(upload) ? { giveUpAt: at.end, why } : undefined;
  return { kind: 'wait', until: earliest(refusal.retryAt, at.end), late };
}

/**
 * The next step until the last attempt can no longer publish an archive. The attempt was deactivated
 * before; a recovery Job completes or aborts its upload and checks in the store whether it was published.
 */
export function recoveryStep(seen: Observation, attempt: Attempt, at: At): RecoveryStep {
  const upload = toRecover(seen, attempt);
  if (!upload) return { kind: 'nothing' };
  const lost = { seen, attempt, upload };
  const end = giveUpAt(lost, at);
  if (seen.recovery) return followJob(lost, seen.recovery, { ...at, end });
  return seen.bucket
    ? followRefusal(lost, { ...at, end })
    : unknownOf(upload, 'the ZipBucket does not exist');
}
