import type { Attempt, UploadState, ZipJob } from '#crds/zip-job.ts';
import type { SettleOutcome } from '#crds/zipper-contract.ts';
import { isJobFinished, jobFailure } from '../job-state.ts';
import type { Observation } from '../observation.ts';
import { timeOf, uploadOf } from '../owned-status.ts';
import { terminationOf } from '../pod-state.ts';
import { parseTerminationMessage } from '../termination-message.ts';

/** How long the settle Job may be overdue, or be refused by the API server, before the answer is given up. */
const PATIENCE_SECONDS = 60;

export type SettleStep =
  /** Nothing was recorded, so nothing can have been published. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'start'; readonly attempt: Attempt; readonly upload: UploadState }
  | { readonly kind: 'wait'; readonly until: Date }
  | { readonly kind: 'answer'; readonly outcome: SettleOutcome; readonly upload: UploadState };

const answerOf = (settle: NonNullable<Observation['settle']>): SettleOutcome | undefined => {
  for (const pod of settle.pods) {
    const message = parseTerminationMessage(terminationOf(pod)?.message);
    if (message && 'settled' in message) return message.settled;
  }
  return undefined;
};

/** The upload of the attempt that is to be settled: as the zipper left it when it lost the charge. */
const uploadToSettle = (zipJob: ZipJob, attempt: Attempt): UploadState | undefined =>
  uploadOf(zipJob, attempt.podUid) ?? attempt.upload;

const overdueAt = (
  created: string | undefined,
  settings: { readonly settleDeadlineSeconds: number },
): number => (timeOf(created) ?? 0) + (settings.settleDeadlineSeconds + PATIENCE_SECONDS) * 1000;

const followJob = (
  settle: NonNullable<Observation['settle']>,
  at: { readonly now: Date; readonly settleDeadlineSeconds: number; readonly upload: UploadState },
): SettleStep => {
  const unknown: SettleStep = { kind: 'answer', outcome: { outcome: 'unknown' }, upload: at.upload };
  const outcome = answerOf(settle);
  if (outcome) return { kind: 'answer', outcome, upload: at.upload };
  if (isJobFinished(settle.job) || jobFailure(settle.job)) return unknown;
  const overdue = overdueAt(settle.job.metadata.creationTimestamp, at);
  return at.now.getTime() >= overdue ? unknown : { kind: 'wait', until: new Date(overdue) };
};

/**
 * What is to be done until it is certain that the last attempt can publish nothing any more? The attempt has lost the
 * charge before; a recorded upload is aborted, and the store asked what became of it, by a Job of the zipper image.
 */
export const settleStep = (
  seen: Observation,
  attempt: Attempt,
  at: { readonly now: Date; readonly settleDeadlineSeconds: number },
): SettleStep => {
  const upload = uploadToSettle(seen.zipJob, attempt);
  if (!upload) return { kind: 'nothing' };
  if (seen.settle) return followJob(seen.settle, { ...at, upload });
  const unknown: SettleStep = { kind: 'answer', outcome: { outcome: 'unknown' }, upload };
  if (!seen.bucket) return unknown;
  const { refusal } = seen;
  if (refusal?.target !== 'settle') return { kind: 'start', attempt, upload };
  const giveUpAt = overdueAt(refusal.since.toISOString(), at);
  if (at.now.getTime() >= giveUpAt) return unknown;
  return at.now >= refusal.retryAt
    ? { kind: 'start', attempt, upload }
    : { kind: 'wait', until: refusal.retryAt };
};
