import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { Attempt } from '#crds/zip-job.ts';
import { defined } from '#runtime/optional.ts';
import type { EventNote } from '../../engine/events.ts';
import { recoveryJob } from '../manifest/job-manifest.ts';
import type { Outcome, OwnedStatus, Situation, Step } from '../observation.ts';
import { attemptUpload, withCondition } from '../owned-status.ts';
import { type Recovered, type RecoveryResult, recoveryStep } from '../policies/recovery.ts';
import { type Published, verifiedArchive } from '../policies/verified-archive.ts';
import { msUntil } from '../requeue.ts';

export type Recovering =
  | { readonly kind: 'waiting'; readonly step: Step }
  | {
      readonly kind: 'recovered';
      readonly status: OwnedStatus;
      /** Set if the store determines the outcome. */
      readonly outcome?: Outcome;
      readonly events: readonly EventNote[];
    };

const REQUEUE_MS = 5000;

const recovered = (s: Situation, reason: 'NothingToRecover' | 'Recovered', message?: string): OwnedStatus =>
  withCondition(s.status, 'Recovered', {
    status: 'True',
    reason,
    ...defined({ message }),
    now: s.now,
  });

const sumOf = ({ abortFailures: before = 0 }: Attempt, more: number): Pick<Attempt, 'abortFailures'> =>
  before + more > 0 ? { abortFailures: before + more } : {};

/** Records the recovered upload in the attempt, because the next pod replaces the zipper's own field. */
const withUpload = (status: OwnedStatus, { n }: Attempt, response: RecoveryResult): OwnedStatus => {
  const { upload, abortFailures } = response;
  const recorded = upload === 'unrecorded' ? {} : { upload: attemptUpload(upload) };
  const change = (one: Attempt): Attempt => ({ ...one, ...recorded, ...sumOf(one, abortFailures) });
  return { ...status, attempts: status.attempts?.map((one) => (one.n === n ? change(one) : one)) ?? [] };
};

const published = (
  s: Situation,
  attempt: Attempt,
  found: Published & { status: OwnedStatus },
): Recovering => {
  const { outcome, result } = verifiedArchive(s, attempt, found);
  return { kind: 'recovered', status: { ...found.status, ...defined({ result }) }, outcome, events: [] };
};

const unknownText = (outcome: Extract<RecoveryOutcome, { outcome: 'unknown' }>): string =>
  outcome.missingPermission === undefined
    ? 'the store did not respond in time'
    : `the credentials lack ${outcome.missingPermission}`;

const lossOf = ({ n }: Attempt, upload: Recovered): string =>
  upload === 'unrecorded'
    ? `attempt ${n} was lost before it recorded an upload`
    : `attempt ${n} was lost in state ${upload.state}`;

const responded = (s: Situation, attempt: Attempt, response: RecoveryResult): Recovering => {
  const { outcome, upload } = response;
  const status = withUpload(recovered(s, 'Recovered'), attempt, response);
  if (outcome.outcome === 'published') return published(s, attempt, { ...outcome, status });
  if (outcome.outcome === 'absent')
    return {
      kind: 'recovered',
      status,
      events: [
        {
          type: 'Normal',
          reason: 'Recovered',
          message: `attempt ${attempt.n} was recovered: no archive or upload remains`,
        },
      ],
    };
  const message = `${lossOf(attempt, upload)}; ${unknownText(outcome)}`;
  const events: readonly EventNote[] = [{ type: 'Warning', reason: 'OutcomeUnknown', message }];
  // Only the active pod can complete an open upload, so at most parts of the upload remain.
  return upload !== 'unrecorded' && upload.state === 'committing'
    ? { kind: 'recovered', status, outcome: { reason: 'OutcomeUnknown', message }, events }
    : { kind: 'recovered', status, events };
};

/** Continues the recovery of the last attempt, which is no longer active. */
export const recovering = (s: Situation): Recovering => {
  const attempt = s.status.attempts?.at(-1);
  if (!attempt) return { kind: 'recovered', status: recovered(s, 'NothingToRecover'), events: [] };
  const { now, config, seen } = s;
  const next = recoveryStep(seen, attempt, { now, recoveryDeadlineSeconds: config.recoveryDeadlineSeconds });
  switch (next.kind) {
    case 'nothing':
      return { kind: 'recovered', status: recovered(s, 'NothingToRecover'), events: [] };
    case 'response':
      return responded(s, attempt, next);
    case 'wait':
      return {
        kind: 'waiting',
        step: { status: s.status, requeueAfterMs: msUntil(now, next.until) },
      };
    case 'start': {
      if (!seen.bucket) throw new Error('Could not create the recovery Job: the ZipBucket does not exist');
      const job = recoveryJob(seen.zipJob, { ...next, bucket: seen.bucket }, config);
      return {
        kind: 'waiting',
        step: {
          status: s.status,
          actions: [{ kind: 'createJob', target: 'recover', job }],
          requeueAfterMs: REQUEUE_MS,
        },
      };
    }
  }
};
