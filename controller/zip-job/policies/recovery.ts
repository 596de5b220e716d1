import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { Attempt, UploadState } from '#crds/zip-job.ts';
import { isJobFinished, jobFailure } from '../../kube-state/job-state.ts';
import { terminationOf } from '../../kube-state/pod-state.ts';
import { parseTerminationMessage } from '../../kube-state/termination-message.ts';
import { timeOf } from '../../kube-state/times.ts';
import type { Observation } from '../observation.ts';
import { uploadOf } from '../owned-status.ts';

/** How long a recovery Job may be overdue or be rejected by the API server before recovery ends without a result. */
const GRACE_PERIOD_SECONDS = 60;

/** What to recover: an upload recorded in the status, or one that only the store may know. */
export type Recovered = UploadState | 'unrecorded';

export interface RecoveryResult {
  readonly kind: 'response';
  readonly outcome: RecoveryOutcome;
  readonly upload: Recovered;
  /** Number of uploads that could not be aborted or found. */
  readonly abortFailures: number;
}

export type RecoveryStep =
  /** The attempt cannot have started an upload. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'start'; readonly attempt: Attempt; readonly upload: Recovered }
  | { readonly kind: 'wait'; readonly until: Date }
  | RecoveryResult;

const unknownOf = (upload: Recovered): RecoveryResult => ({
  kind: 'response',
  outcome: { outcome: 'unknown' },
  upload,
  abortFailures: 1,
});

const responseOf = (
  recovery: NonNullable<Observation['recovery']>,
  upload: Recovered,
): RecoveryResult | undefined => {
  for (const pod of recovery.pods) {
    const message = parseTerminationMessage(terminationOf(pod)?.message);
    if (message && 'recovered' in message)
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
 * message says whether the start of an upload got no response. So only pods that were killed, lost, or stopped during the
 * start may have left one.
 */
const mayHaveStarted = ({ zipJob, pods, recovery }: Observation, { podUid }: Attempt): boolean => {
  if (zipJob.status?.progress?.podUid !== podUid) return false;
  if (recovery) return true;
  const pod = pods.find(({ metadata }) => metadata.uid === podUid);
  const message = pod && parseTerminationMessage(terminationOf(pod)?.message);
  return message === undefined || message.startUnconfirmed === true;
};

/** The upload to recover, as the zipper left it when it was deactivated. */
const toRecover = (seen: Observation, attempt: Attempt): Recovered | undefined =>
  uploadOf(seen.zipJob, attempt.podUid) ??
  attempt.upload ??
  (mayHaveStarted(seen, attempt) ? 'unrecorded' : undefined);

const overdueAt = (
  created: string | undefined,
  settings: { readonly recoveryDeadlineSeconds: number },
): number => (timeOf(created) ?? 0) + (settings.recoveryDeadlineSeconds + GRACE_PERIOD_SECONDS) * 1000;

const followJob = (
  recovery: NonNullable<Observation['recovery']>,
  at: { readonly now: Date; readonly recoveryDeadlineSeconds: number; readonly upload: Recovered },
): RecoveryStep => {
  const unknown = unknownOf(at.upload);
  const response = responseOf(recovery, at.upload);
  if (response) return response;
  if (isJobFinished(recovery.job) || jobFailure(recovery.job)) return unknown;
  const overdue = overdueAt(recovery.job.metadata.creationTimestamp, at);
  return at.now.getTime() >= overdue ? unknown : { kind: 'wait', until: new Date(overdue) };
};

/**
 * The next step until the last attempt can no longer publish an archive. The attempt was deactivated
 * before; a recovery Job aborts its upload and checks in the store whether it was published.
 */
export const recoveryStep = (
  seen: Observation,
  attempt: Attempt,
  at: { readonly now: Date; readonly recoveryDeadlineSeconds: number },
): RecoveryStep => {
  const upload = toRecover(seen, attempt);
  if (!upload) return { kind: 'nothing' };
  if (seen.recovery) return followJob(seen.recovery, { ...at, upload });
  const unknown = unknownOf(upload);
  if (!seen.bucket) return unknown;
  const { refusal } = seen;
  if (refusal?.target !== 'recover') return { kind: 'start', attempt, upload };
  const giveUpAt = overdueAt(refusal.since.toISOString(), at);
  if (at.now.getTime() >= giveUpAt) return unknown;
  return at.now >= refusal.retryAt
    ? { kind: 'start', attempt, upload }
    : { kind: 'wait', until: refusal.retryAt };
};
