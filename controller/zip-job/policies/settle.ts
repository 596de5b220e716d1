import type { Attempt, UploadState } from '#crds/zip-job.ts';
import type { SettleOutcome } from '#crds/zipper-contract.ts';
import { isJobFinished, jobFailure } from '../../kube-state/job-state.ts';
import { terminationOf } from '../../kube-state/pod-state.ts';
import { parseTerminationMessage } from '../../kube-state/termination-message.ts';
import { timeOf } from '../../kube-state/times.ts';
import type { Observation } from '../observation.ts';
import { uploadOf } from '../owned-status.ts';

/** How long the recovery Job may be overdue, or be rejected by the API server, before recovery ends without a result. */
const PATIENCE_SECONDS = 60;

/** What to recover: an upload recorded in the status, or one that only the store may know. */
export type Settled = UploadState | 'unrecorded';

export interface SettleAnswer {
  readonly kind: 'answer';
  readonly outcome: SettleOutcome;
  readonly upload: Settled;
  /** Number of uploads that could not be aborted or found. */
  readonly abortFailures: number;
}

export type SettleStep =
  /** The attempt cannot have started an upload. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'start'; readonly attempt: Attempt; readonly upload: Settled }
  | { readonly kind: 'wait'; readonly until: Date }
  | SettleAnswer;

const unknownOf = (upload: Settled): SettleAnswer => ({
  kind: 'answer',
  outcome: { outcome: 'unknown' },
  upload,
  abortFailures: 1,
});

const answerOf = (settle: NonNullable<Observation['settle']>, upload: Settled): SettleAnswer | undefined => {
  for (const pod of settle.pods) {
    const message = parseTerminationMessage(terminationOf(pod)?.message);
    if (message && 'settled' in message)
      return { kind: 'answer', outcome: message.settled, upload, abortFailures: message.abortFailures ?? 0 };
  }
  return undefined;
};

/**
 * True if the store may have an unrecorded upload. A zipper starts one only after its first progress write succeeded, so not if
 * there is none. Nor if the zipper wrote a termination message: it knows whether the start of an upload got no response.
 * This leaves pods that were killed, lost, or stopped during the start.
 */
const mayHaveStarted = ({ zipJob, pods, settle }: Observation, { podUid }: Attempt): boolean => {
  if (zipJob.status?.progress?.podUid !== podUid) return false;
  if (settle) return true;
  const pod = pods.find(({ metadata }) => metadata.uid === podUid);
  const message = pod && parseTerminationMessage(terminationOf(pod)?.message);
  return message === undefined || message.startUnanswered === true;
};

/** The upload to recover, as the zipper left it when it was deactivated. */
const toSettle = (seen: Observation, attempt: Attempt): Settled | undefined =>
  uploadOf(seen.zipJob, attempt.podUid) ??
  attempt.upload ??
  (mayHaveStarted(seen, attempt) ? 'unrecorded' : undefined);

const overdueAt = (
  created: string | undefined,
  settings: { readonly settleDeadlineSeconds: number },
): number => (timeOf(created) ?? 0) + (settings.settleDeadlineSeconds + PATIENCE_SECONDS) * 1000;

const followJob = (
  settle: NonNullable<Observation['settle']>,
  at: { readonly now: Date; readonly settleDeadlineSeconds: number; readonly upload: Settled },
): SettleStep => {
  const unknown = unknownOf(at.upload);
  const answer = answerOf(settle, at.upload);
  if (answer) return answer;
  if (isJobFinished(settle.job) || jobFailure(settle.job)) return unknown;
  const overdue = overdueAt(settle.job.metadata.creationTimestamp, at);
  return at.now.getTime() >= overdue ? unknown : { kind: 'wait', until: new Date(overdue) };
};

/**
 * The next step until the last attempt can no longer publish an archive. The attempt was deactivated
 * before; a recovery Job aborts its upload and checks in the store whether it was published.
 */
export const settleStep = (
  seen: Observation,
  attempt: Attempt,
  at: { readonly now: Date; readonly settleDeadlineSeconds: number },
): SettleStep => {
  const upload = toSettle(seen, attempt);
  if (!upload) return { kind: 'nothing' };
  if (seen.settle) return followJob(seen.settle, { ...at, upload });
  const unknown = unknownOf(upload);
  if (!seen.bucket) return unknown;
  const { refusal } = seen;
  if (refusal?.target !== 'settle') return { kind: 'start', attempt, upload };
  const giveUpAt = overdueAt(refusal.since.toISOString(), at);
  if (at.now.getTime() >= giveUpAt) return unknown;
  return at.now >= refusal.retryAt
    ? { kind: 'start', attempt, upload }
    : { kind: 'wait', until: refusal.retryAt };
};
