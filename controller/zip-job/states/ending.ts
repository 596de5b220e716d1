import { ANNOTATIONS } from '#crds/api-group.ts';
import { REASONS, rfc3339 } from '#crds/conditions.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { uidOf } from '#crds/object-meta.ts';
import { endpointAnnotation, endpointsOf, overallState } from '#crds/webhook-endpoints.ts';
import type { Phase, WebhookState } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { commandOf } from '../../cluster/command.ts';
import { isJobFinished, jobFailure, ownJob } from '../../cluster/job-state.ts';
import { terminationOf } from '../../cluster/pod-state.ts';
import { isLeaving } from '../../cluster/release.ts';
import { formatDuration, timeOf } from '../../cluster/times.ts';
import type { EventNote } from '../../reconciling/events.ts';
import { deliveryTo, withDelivery } from '../../webhook/job-deliveries.ts';
import { eventOf, firstWebhookState } from '../../webhook/retries.ts';
import { withAttempt } from '../attempt.ts';
import type { Action, Outcome, OwnedStatus, Situation, Step } from '../observation.ts';
import { isRecovering, isTrue, withCondition, withoutCondition, withPhase } from '../owned-status.ts';
import { countedFailures, maxAttemptsOf } from '../policies/failure.ts';
import { withoutHeir } from '../policies/inheritance.ts';
import { withoutInterval } from '../policies/progress-interval.ts';

type FinalPhase = Extract<Phase, 'Succeeded' | 'Failed' | 'Cancelled'>;

export function finalPhaseOf(reason: string | undefined): FinalPhase {
  if (reason === 'Uploaded' || reason === 'VerifiedInStore') return 'Succeeded';
  return reason === 'Cancelled' || reason === 'Deleted' ? 'Cancelled' : 'Failed';
}

/** Deactivates the active pod and records the attempt. From then on the pod cannot start to publish an archive. */
export function revoke(s: Situation, removal?: Outcome): OwnedStatus {
  const { status, now } = s;
  if (status.job?.podUid === undefined) return status;
  const { podUid, ...job } = status.job;
  const pod = s.seen.pods.find(({ metadata }) => metadata.uid === podUid);
  const recorded = withAttempt({ ...withoutInterval(status), job }, s.seen.zipJob, {
    podUid,
    pod,
    now,
    ...(removal && { removal }),
  });
  return withCondition(recorded, 'Recovered', { status: 'False', reason: 'Recovering', now });
}

/** True if a sidecar failed after the zipper had succeeded: the Job counts the pod as failed, and would run the zipper again. */
function isReplaced({ seen: { pods } }: Situation): boolean {
  return pods.some((pod) => pod.status?.phase === 'Failed' && terminationOf(pod)?.exitCode === EXIT_CODES.ok);
}

/** True for a Job that ends by itself. It is kept, so that the logs of its pods stay readable. */
function endsByItself(s: Situation, status: OwnedStatus): boolean {
  const job = ownJob(s.seen);
  const last = status.attempts?.at(-1)?.class;
  return (
    job === undefined ||
    last === 'permanent' ||
    (last === 'success' && !isReplaced(s)) ||
    isJobFinished(job) ||
    jobFailure(job) !== undefined
  );
}

/** True if the attempts are used up. The Job would still replace its last pod. */
function isExhausted(s: Situation, status: OwnedStatus): boolean {
  return countedFailures(status) >= maxAttemptsOf(s.seen.zipJob);
}

/** Deletes a Job, unless there is none or it is already being deleted. */
export function deleteJob(job: Job | undefined): readonly Action[] {
  if (job === undefined || isLeaving(job.metadata)) return [];
  return [{ kind: 'deleteJob', name: job.metadata.name, uid: uidOf(job) }];
}

/** Ends the Job of a job that ends, unless the Job is about to end by itself, or its pod is about to exit. */
export function endJob(s: Situation, status: OwnedStatus): readonly Action[] {
  const job = ownJob(s.seen);
  if (!job || isLeaving(job.metadata) || status.job?.podUid !== undefined || endsByItself(s, status))
    return [];
  return isExhausted(s, status)
    ? [{ kind: 'failJob', name: job.metadata.name, uid: uidOf(job) }]
    : deleteJob(job);
}

function closing(status: OwnedStatus, phase: FinalPhase, outcome: Outcome & { now: Date }): OwnedStatus {
  const { now } = outcome;
  const note = { reason: outcome.reason, message: outcome.message, now };
  const succeeded = phase === 'Succeeded';
  const recovered = isTrue(status, 'Recovered')
    ? status
    : withCondition(status, 'Recovered', { status: 'True', reason: 'NothingToRecover', now });
  const running = withoutCondition(recovered, 'Running', note);
  const waiting = withoutCondition(running, 'Waiting', note);
  const unsuspended = withoutCondition(waiting, 'Suspended', { reason: 'Unsuspended', now });
  const done = succeeded ? 'True' : 'False';
  const complete = withCondition(unsuspended, 'Complete', { status: done, ...note });
  const failed = succeeded ? complete : withCondition(complete, 'Failed', { status: 'True', ...note });
  // A cancelled job is not stalled, nor is a job that can still make progress.
  const stalled = phase === 'Failed' ? withCondition(failed, 'Stalled', { status: 'True', ...note }) : failed;
  return withCondition(stalled, 'Ready', { status: done, ...note });
}

function notifying(s: Situation, status: OwnedStatus, phase: FinalPhase): OwnedStatus {
  const { now } = s;
  const isSilent = status.reason === 'Deleted' || status.reason === 'Restored';
  const first = firstWebhookState(s.seen.zipJob, isSilent ? undefined : eventOf(phase), now);
  const note =
    overallState(first) === 'Pending'
      ? ({ status: 'False', reason: 'WebhookPending' } as const)
      : ({ status: 'True', reason: 'NotConfigured' } as const);
  // The first delivery fulfils every replay that was requested before it.
  const webhook = endpointsOf<WebhookState>(first).reduce((states, { name }) => {
    const annotation = endpointAnnotation(ANNOTATIONS.replayWebhook, name);
    const replayNonce = commandOf(s.seen.zipJob.metadata, annotation, undefined);
    const state = deliveryTo(states, name);
    return state && replayNonce !== undefined
      ? withDelivery(states, name, { ...state, replayNonce })
      : states;
  }, first);
  return withCondition({ ...status, webhook }, 'Notified', { ...note, now });
}

/** Nothing continues an upload after the end, so that nobody needs its records. */
function withoutUpload({ inherits: _inherits, checkpointed, ...status }: OwnedStatus) {
  const before: Step['before'] = checkpointed === true ? [{ kind: 'deleteCheckpoint' }] : undefined;
  return { status, ...defined({ before }) };
}

/** The single write that finishes a job: phase, conditions and times together. They never change again. */
export function finish(s: Situation, given: OwnedStatus, outcome: Outcome): Step {
  const { now } = s;
  const { status: from, ...deletion } = withoutUpload(given);
  const phase = finalPhaseOf(outcome.reason);
  const closed = closing(withPhase(withoutInterval(from), phase, outcome), phase, { ...outcome, now });
  const admitted = timeOf(from.startedAt ?? from.acceptedAt ?? s.seen.zipJob.metadata.creationTimestamp);
  const status = notifying(
    s,
    {
      ...closed,
      finishedAt: rfc3339(now),
      duration: formatDuration(now.getTime() - (admitted ?? now.getTime())),
    },
    phase,
  );
  const event: EventNote = {
    type: phase === 'Failed' ? 'Warning' : 'Normal',
    reason: phase,
    message: `${outcome.reason}: ${status.message ?? ''}`,
  };
  return { status, ...deletion, events: [event], actions: endJob(s, status) };
}

/** A job may end before the status has the Job that was created for it. The history stores a deleted job only with its Job. */
function withJob({ status, seen }: Situation): OwnedStatus {
  const { name, uid } = ownJob(seen)?.metadata ?? {};
  return status.job !== undefined || name === undefined || uid === undefined
    ? status
    : { ...status, job: { name, uid } };
}

/**
 * Starts to end a job with a known outcome: deactivates the pod and keeps the outcome in phase Finalizing until the last
 * attempt is recovered, with an upload that it was to continue. Finishes at once if there is no upload to recover and no Job.
 */
export function beginEnding(s: Situation, outcome: Outcome): Step {
  const status = withoutHeir(revoke({ ...s, status: withJob(s) }, outcome), s.now);
  if (!isRecovering(status) && !ownJob(s.seen)) return finish(s, status, outcome);
  return { status: withPhase(status, 'Finalizing', outcome), actions: endJob(s, status) };
}

/**
 * Ends a job that is being deleted without the recovery of its last attempt: there is no time for it, or its namespace is being
 * deleted too, where nothing can be created.
 */
export function abandoned(s: Situation): Step {
  const status = withoutHeir(revoke({ ...s, status: withJob(s) }), s.now);
  if (!isRecovering(status)) return finish(s, status, deletedOutcome(s));
  const mayBePublished = status.attempts?.at(-1)?.upload?.state === 'committing';
  const { key } = s.seen.zipJob.spec;
  const text = `${REASONS.OutcomeUnknown} An archive may still appear at key ${key}.`;
  const unknown = { reason: 'OutcomeUnknown', message: text };
  const step = finish(s, status, mayBePublished ? unknown : deletedOutcome(s));
  const message = 'the ZipJob was deleted before its last attempt could be recovered';
  const note = { status: 'False', reason: 'Deleted', message, now: s.now } as const;
  return { ...step, status: withCondition(step.status, 'Recovered', note) };
}

/** The outcome that is recorded already, or else the deletion. */
function deletedOutcome({ status: { phase, reason, message } }: Situation): Outcome {
  return phase === 'Finalizing' && reason !== undefined
    ? { reason, message: message ?? '' }
    : { reason: 'Deleted', message: 'the ZipJob is being deleted' };
}

/** Ends a copy from a backup at once and silently: everything that its status refers to belonged to the original. */
export function restored(s: Situation): Step {
  const { podUid: _podUid, ...job } = s.status.job ?? { name: '', uid: '' };
  const status: OwnedStatus = s.status.job ? { ...s.status, job } : s.status;
  const { before: _ofOriginal, ...step } = finish(s, status, {
    reason: 'Restored',
    message:
      'the job was restored from a backup, so its archive may exist and it does not run again; to run it again, create a new job',
  });
  return step;
}
