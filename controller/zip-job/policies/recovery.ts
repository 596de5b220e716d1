import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { Attempt, UploadState, ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { isJobFinished, jobFailure } from '../../kube-state/job-state.ts';
import { gracePeriodEnds } from '../../kube-state/release.ts';
import { leavesUploads, terminationMessageOf } from '../../kube-state/termination-message.ts';
import { timeOf } from '../../kube-state/times.ts';
import { RECOVERY_GRACE_SECONDS } from '../../settings/recovery-settings.ts';
import { uploadFactsOf } from '../attempt.ts';
import type { DecisionConfig, Observation } from '../observation.ts';
import { uploadOf } from '../owned-status.ts';
import { runDeadline } from './deadline.ts';
import { DELETION_GRACE_PERIOD_MS, STORING_MS } from './deletion.ts';
import { overdueAt, recoveryWait, retryAt } from './recovery-job.ts';

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
  /** Delete this recovery Job, and start another. */
  | { readonly kind: 'restart'; readonly job: Job }
  | {
      readonly kind: 'wait';
      readonly until: Date | undefined;
      /** When recovery gives up, and why it has not ended yet. Set only while the outcome of the job depends on it. */
      readonly late?: { readonly giveUpAt: Date; readonly why: string } | undefined;
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

const unknownOf = (upload: Recovered, why?: string): RecoveryResult => ({
  kind: 'response',
  outcome: { outcome: 'unknown' },
  upload,
  why,
  abortFailures: 1,
});

export const isCommitting = (upload: Recovered): upload is UploadState =>
  upload !== 'unrecorded' && upload.state === 'committing';

/** Size of the archive of a committing attempt; at most that of its parts if the attempt did not record it. */
export const archiveBytesOf = ({ state, archive, parts, partSize }: UploadState): number | undefined => {
  if (state !== 'committing') return undefined;
  return archive?.bytes ?? (parts === undefined ? undefined : parts * partSize);
};

/**
 * After CompleteMultipartUpload, only the store knows the outcome of the job, or which missing permission hides it. It is final
 * too when the store has had the time to assemble the archive, and does not show it.
 */
const isFinal = (outcome: RecoveryOutcome, upload: Recovered): boolean =>
  !isCommitting(upload) ||
  outcome.outcome !== 'unknown' ||
  outcome.missingPermission !== undefined ||
  outcome.goneBeforeAbort === true;

const responseOf = (recovery: Recovery, upload: Recovered): RecoveryResult | undefined => {
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
};

/**
 * True if the store may have an unrecorded upload. A zipper starts one only after its first progress write. Its termination
 * message says whether the start of an upload got no response, or its abort failed. So only these pods, and pods that were
 * killed or lost, may have left one.
 */
const mayHaveStarted = (
  { zipJob, pods, recovery }: Pick<Observation, 'zipJob' | 'pods' | 'recovery'>,
  { podUid }: Attempt,
): boolean => {
  if (zipJob.status?.progress?.podUid !== podUid) return false;
  if (recovery) return true;
  const pod = pods.find(({ metadata }) => metadata.uid === podUid);
  const message = terminationMessageOf(pod);
  return message === undefined || leavesUploads(message);
};

/**
 * The upload to recover. The record of the attempt knows more than the zipper's field, which has the contents of the archive. A pod
 * that was deactivated before it ended reports only after the record was written.
 */
const toRecover = ({ zipJob, pods, recovery }: Observation, attempt: Attempt): Recovered | undefined => {
  const { podUid } = attempt;
  const pod = pods.find(({ metadata }) => metadata.uid === podUid);
  const late = terminationMessageOf(pod) ? uploadFactsOf(zipJob, { pod, podUid }) : {};
  const { uploadAborted, upload } = { ...attempt, ...late };
  if (uploadAborted === true) return undefined;
  const left = uploadOf(zipJob, podUid);
  if (left) return { ...left, ...upload };
  return upload ?? (mayHaveStarted({ zipJob, pods, recovery }, attempt) ? 'unrecorded' : undefined);
};

/**
 * When recovery ends although the job could wait for its result, because its user asked to end it. Undefined if nobody did. A
 * cancellation has no time of its own; it deactivated the attempt, or came while the attempt was being recovered.
 */
const requestedEnd = ({ metadata, spec }: ZipJob, lostAt: number): Date | undefined => {
  const deleted = gracePeriodEnds(metadata, DELETION_GRACE_PERIOD_MS - STORING_MS);
  if (deleted) return deleted;
  return spec.cancel === true ? new Date(lostAt + DELETION_GRACE_PERIOD_MS) : undefined;
};

const earliest = (...times: readonly (Date | undefined)[]): Date | undefined =>
  times.filter((time) => time !== undefined).toSorted((one, other) => Number(one) - Number(other))[0];

/**
 * When recovery ends without a result. After `committing` it decides the outcome of the job, so it takes until the deadline
 * of the job, and at least RECOVERY_TIMEOUT_SECONDS, unless the job is cancelled or deleted. Any other upload can no longer be published, and only its parts may
 * remain: it delays the next attempt or the end of the job no longer than one recovery Job usually takes.
 */
const giveUpAt = ({ seen, attempt, upload }: Lost, at: At): Date => {
  const lostAt = timeOf(attempt.finishedAt) ?? at.now.getTime();
  if (!isCommitting(upload)) {
    const created = timeOf(seen.recovery?.job.metadata.creationTimestamp);
    // An earlier refusal concerned the recovery Job of an earlier attempt.
    const refused = seen.refusal && Math.max(seen.refusal.since.getTime(), lostAt);
    const since = created ?? refused ?? at.now.getTime();
    return new Date(since + (at.recoveryDeadlineSeconds + RECOVERY_GRACE_SECONDS) * 1000);
  }
  const deadline = runDeadline(seen.zipJob, seen.job, at)?.getTime() ?? 0;
  const end = new Date(Math.max(lostAt + at.recoveryTimeoutSeconds * 1000, deadline));
  return earliest(end, requestedEnd(seen.zipJob, lostAt)) ?? end;
};

const isOver = ({ job }: Recovery): boolean => isJobFinished(job) || jobFailure(job) !== undefined;

/** A recovery Job that failed, or whose pods do not report, is replaced until the outcome of the job is known. */
const followCommit = ({ seen, attempt }: Lost, recovery: Recovery, at: Limited): RecoveryStep => {
  const { end, now } = at;
  const { job, pods } = recovery;
  const next = isOver(recovery) ? retryAt(job, attempt, at) : overdueAt(recovery, at);
  if (next && now >= next) return { kind: 'restart', job };
  const why = recoveryWait(pods, now, seen.podRefusal);
  return {
    kind: 'wait',
    until: earliest(next, end),
    late: why === undefined ? undefined : { giveUpAt: end, why },
  };
};

const followJob = (lost: Lost, recovery: Recovery, at: Limited): RecoveryStep => {
  const { seen, upload } = lost;
  const response = responseOf(recovery, upload);
  if (response) return response;
  if (at.now >= at.end) return unknownOf(upload, recoveryWait(recovery.pods, at.now, seen.podRefusal));
  if (isCommitting(upload)) return followCommit(lost, recovery, at);
  return isOver(recovery) ? unknownOf(upload) : { kind: 'wait', until: at.end };
};

const followRefusal = ({ seen, attempt, upload }: Lost, at: Limited): RecoveryStep => {
  const { refusal } = seen;
  if (refusal?.target !== 'recover') return { kind: 'start', attempt, upload };
  const why = `${refusal.reason}: ${refusal.message}`;
  if (at.now >= at.end) return unknownOf(upload, why);
  if (at.now >= refusal.retryAt) return { kind: 'start', attempt, upload };
  const late = isCommitting(upload) ? { giveUpAt: at.end, why } : undefined;
  return { kind: 'wait', until: earliest(refusal.retryAt, at.end), late };
};

/**
 * The next step until the last attempt can no longer publish an archive. The attempt was deactivated
 * before; a recovery Job aborts its upload and checks in the store whether it was published.
 */
export const recoveryStep = (seen: Observation, attempt: Attempt, at: At): RecoveryStep => {
  const upload = toRecover(seen, attempt);
  if (!upload) return { kind: 'nothing' };
  const lost = { seen, attempt, upload };
  const end = giveUpAt(lost, at);
  if (seen.recovery) return followJob(lost, seen.recovery, { ...at, end });
  return seen.bucket
    ? followRefusal(lost, { ...at, end })
    : unknownOf(upload, 'the ZipBucket does not exist');
};
