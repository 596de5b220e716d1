import { findCondition, rfc3339, shorten } from '#crds/conditions.ts';
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { Attempt } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { isJobFinished, isSuspended, queueOf, suspendedMs } from '../../cluster/job-state.ts';
import { isLeaving } from '../../cluster/release.ts';
import { timeOf } from '../../cluster/times.ts';
import type { EventNote } from '../../reconciling/events.ts';
import { recoveryJob } from '../manifest/job-manifest.ts';
import type { Action, Outcome, OwnedStatus, Situation, Step } from '../observation.ts';
import { attemptUpload, withCondition } from '../owned-status.ts';
import { mayFinish, mayHaveCompleted } from '../policies/finishing.ts';
import {
  isCommitting,
  type Recovered,
  type RecoveryResult,
  type RecoveryStep,
  recoveryStep,
} from '../policies/recovery.ts';
import { type Published, verifiedArchive } from '../policies/verified-archive.ts';
import { msUntil } from '../requeue.ts';
import { deleteJob } from './ending.ts';

export type Recovering =
  | { readonly kind: 'waiting'; readonly step: Step }
  | {
      readonly kind: 'recovered';
      readonly status: OwnedStatus;
      /** Set if the store determines the outcome. */
      readonly outcome?: Outcome;
      readonly events: readonly EventNote[];
      /** Ends a recovery Job that is no longer waited for: later, it could abort an upload of the next attempt. */
      readonly actions: readonly Action[];
    };

const REQUEUE_MS = 5000;

/** The upload of the attempt is gone or given up, so no other pod continues it. */
function recovered(s: Situation, reason: 'NothingToRecover' | 'Recovered', message?: string): OwnedStatus {
  const { inherits: _inherits, ...status } = s.status;
  return withCondition(status, 'Recovered', {
    status: 'True',
    reason,
    ...defined({ message }),
    now: s.now,
  });
}

function sumOf({ abortFailures: before = 0 }: Attempt, more: number): Pick<Attempt, 'abortFailures'> {
  return before + more > 0 ? { abortFailures: before + more } : {};
}

/** Records the recovered upload in the attempt, because the next pod replaces the zipper's own field. */
function withUpload(status: OwnedStatus, { n }: Attempt, response: RecoveryResult): OwnedStatus {
  const { upload, abortFailures } = response;
  const recorded = upload === 'unrecorded' ? {} : { upload: attemptUpload(upload) };
  function change(one: Attempt): Attempt {
    return { ...one, ...recorded, ...sumOf(one, abortFailures) };
  }
  return { ...status, attempts: status.attempts?.map((one) => (one.n === n ? change(one) : one)) ?? [] };
}

function published(s: Situation, attempt: Attempt, found: Published & { status: OwnedStatus }): Recovering {
  const verified = verifiedArchive(s, attempt, found);
  if (verified.kind === 'corrupted') {
    const message = `attempt ${attempt.n} was recovered: the object at the key does not match its parts and was not deleted`;
    const events = [{ type: 'Warning', reason: 'Recovered', message }] as const;
    return { kind: 'recovered', status: found.status, events, actions: [] };
  }
  const { outcome, result } = verified;
  return {
    kind: 'recovered',
    status: { ...found.status, ...defined({ result }) },
    outcome,
    events: [],
    actions: [],
  };
}

function unknownText(
  { missingPermission, goneBeforeAbort }: Extract<RecoveryOutcome, { outcome: 'unknown' }>,
  why = 'the store did not respond in time',
): string {
  if (missingPermission !== undefined) return `the credentials lack ${missingPermission}`;
  return goneBeforeAbort === true
    ? 'its upload was gone before it could be aborted, and the store did not show the archive in time'
    : `recovery gave up: ${why}`;
}

function lossOf({ n }: Attempt, upload: Recovered): string {
  return upload === 'unrecorded'
    ? `attempt ${n} was lost before it recorded an upload`
    : `attempt ${n} was lost in state ${upload.state}`;
}

function unfinishedRecovery({ seen: { recovery } }: Situation): readonly Action[] {
  return recovery && !isJobFinished(recovery.job) ? deleteJob(recovery.job) : [];
}

function responded(s: Situation, attempt: Attempt, response: RecoveryResult): Recovering {
  const { outcome, upload } = response;
  const status = withUpload(recovered(s, 'Recovered'), attempt, response);
  if (outcome.outcome === 'published') return published(s, attempt, { ...outcome, status });
  if (outcome.outcome === 'absent')
    return {
      kind: 'recovered',
      status,
      actions: [],
      events: [
        {
          type: 'Normal',
          reason: 'Recovered',
          message: `attempt ${attempt.n} was recovered: no archive or upload remains`,
        },
      ],
    };
  const loss = `${lossOf(attempt, upload)}; ${unknownText(outcome, response.why)}`;
  const message = isCommitting(upload)
    ? `${loss}; an archive may still appear at key ${s.seen.zipJob.spec.key}`
    : loss;
  const events: readonly EventNote[] = [{ type: 'Warning', reason: 'OutcomeUnknown', message }];
  const actions = unfinishedRecovery(s);
  // Only the active pod can complete an open upload, so at most parts of the upload remain.
  return isCommitting(upload)
    ? { kind: 'recovered', status, outcome: { reason: 'OutcomeUnknown', message }, events, actions }
    : { kind: 'recovered', status, events, actions };
}

/** The zipper may have reported so only after its recovery started. */
function nothing(s: Situation): Recovering {
  return {
    kind: 'recovered',
    status: recovered(s, 'NothingToRecover'),
    events: [],
    actions: unfinishedRecovery(s),
  };
}

/** Says in the condition why recovery takes long. A new recovery Job keeps the message of the last. */
function waiting(
  s: Situation,
  { n }: Attempt,
  { until, late }: Extract<RecoveryStep, { kind: 'wait' }>,
): Step {
  const requeueAfterMs = msUntil(s.now, until);
  if (!late) return { status: s.status, requeueAfterMs };
  const end = late.giveUpAt ? `, which gives up at ${rfc3339(late.giveUpAt)}` : '';
  const message = shorten(`attempt ${n} waits for recovery${end}: ${late.why}`);
  const reason = 'Recovering';
  const isNew = findCondition(s.status.conditions, 'Recovered')?.message !== message;
  return {
    status: withCondition(s.status, 'Recovered', { status: 'False', reason, message, now: s.now }),
    ...(isNew && { events: [{ type: 'Warning', reason, message }] }),
    requeueAfterMs,
  };
}

type Start = Extract<RecoveryStep, { kind: 'start' | 'enqueue' }>;

function start(s: Situation, next: Start): Step {
  const { seen, config, status } = s;
  if (!seen.bucket) throw new Error('Could not create the recovery Job: the ZipBucket does not exist');
  const { sharesTarget } = seen;
  const lost = { ...next, bucket: seen.bucket, mayFinish: mayFinish(s), now: s.now };
  const job = recoveryJob(seen.zipJob, lost, { ...config, sharesTarget });
  const before = next.kind === 'enqueue' ? deleteJob(next.job) : [];
  return {
    status,
    actions: [...before, { kind: 'createJob', target: 'recover', job }],
    requeueAfterMs: REQUEUE_MS,
  };
}

/** A Job that is being deleted may stay for a while, and its end is recorded once. */
function isRecorded({ completeSentAt }: Attempt, { metadata }: Job): boolean {
  const recordedAt = timeOf(completeSentAt);
  return recordedAt !== undefined && recordedAt >= (timeOf(metadata.creationTimestamp) ?? 0);
}

/** Records how long the Job was suspended, and whether it may have sent Complete, because its successor does not know it. */
function restart(s: Situation, attempt: Attempt, job: Job): Step {
  const queued = Math.round(suspendedMs(job, s.now) / 1000);
  const isQueued = !isLeaving(job.metadata) && (isSuspended(job) || queueOf(job) !== undefined);
  const isSent = mayHaveCompleted(s.seen, attempt) && !isRecorded(attempt, job);
  function change(one: Attempt): Attempt {
    if (one.n !== attempt.n) return one;
    return {
      ...one,
      ...(isQueued && { queuedSeconds: (one.queuedSeconds ?? 0) + queued }),
      ...(isSent && { completeSentAt: rfc3339(s.now) }),
    };
  }
  return {
    status: isQueued || isSent ? { ...s.status, attempts: s.status.attempts?.map(change) ?? [] } : s.status,
    actions: deleteJob(job),
    requeueAfterMs: REQUEUE_MS,
  };
}

/** Continues the recovery of the last attempt, which is no longer active. */
export function recovering(s: Situation): Recovering {
  const attempt = s.status.attempts?.at(-1);
  if (!attempt) return nothing(s);
  const next = recoveryStep(s.seen, attempt, { ...s.config, now: s.now });
  switch (next.kind) {
    case 'nothing':
      return nothing(s);
    case 'response':
      return responded(s, attempt, next);
    case 'wait':
      return { kind: 'waiting', step: waiting(s, attempt, next) };
    case 'start':
    case 'enqueue':
      return { kind: 'waiting', step: start(s, next) };
    case 'restart':
      return { kind: 'waiting', step: restart(s, attempt, next.job) };
  }
}
