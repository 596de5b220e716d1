import { REASONS, type Reason, rfc3339 } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { acceptedAtOf } from '#crds/zip-job-facts.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { isLeftOver } from '../../cluster/job-state.ts';
import { isOwnedBy } from '../../cluster/ownership.ts';
import type { Blocked } from '../../queue/blocked.ts';
import type { EventNote } from '../../reconciling/events.ts';
import type { Refusal } from '../../reconciling/refusal.ts';
import { archiveJob } from '../manifest/job-manifest.ts';
import type { Action, OwnedStatus, Situation, Step } from '../observation.ts';
import { isTrue, withCondition, withoutCondition, withPhase } from '../owned-status.ts';
import { type Admission, admission } from '../policies/admission.ts';
import { queueWait, startDeadline } from '../policies/start-deadline.ts';
import { atTheLatest, msUntil } from '../requeue.ts';
import { finish } from './ending.ts';

/** Requeue delay while the Job of an earlier ZipJob still has the name. */
const LEFT_OVER_MS = 2000;

const ACCEPTED: EventNote = { type: 'Normal', reason: 'Accepted', message: REASONS.Accepted };

const UNSUSPENDED: EventNote = { type: 'Normal', reason: 'Unsuspended', message: REASONS.Unsuspended };

/** Reports an external reason that blocks the job, and fails the job at its start deadline. */
function held(s: Situation, why: { readonly reason: Reason; readonly message: string }): Step {
  const { freeableAt } = s.seen.quota ?? {};
  const deadline = startDeadline(s.seen.zipJob, undefined, { ...s.config, freeableAt });
  if (deadline && s.now >= deadline)
    return finish(s, s.status, {
      reason: 'StartDeadlineExceeded',
      message: `the job did not start before its deadline: ${why.reason}: ${why.message}`,
    });
  const isNew = !isTrue(s.status, 'Waiting', why.reason);
  return {
    status: withCondition(withPhase(s.status, 'Queued', why), 'Waiting', {
      status: 'True',
      ...why,
      now: s.now,
    }),
    ...(isNew && { events: [{ type: 'Warning', ...why }] }),
    requeueAfterMs: msUntil(s.now, deadline),
  };
}

function asAccepted(s: Situation): Situation {
  const { now } = s;
  const accepted = withCondition(s.status, 'Accepted', { status: 'True', reason: 'Accepted', now });
  const free = withoutCondition(accepted, 'Waiting', { reason: 'Queued', now });
  return { ...s, status: withPhase(free, 'Queued', { reason: 'Queued' }) };
}

/** Finishes a job that can never run. */
function denied(s: Situation, verdict: Exclude<Admission, { kind: 'accept' }>): Step {
  return verdict.kind === 'refuse' ? finish(s, s.status, verdict) : held(s, verdict);
}

/** Records acceptance, queueing and the Job in one write, to save status writes under load. */
function started(before: Situation, job: Job, uid: string): Step {
  const { zipJob } = before.seen;
  const { name } = zipJob.metadata;
  const { now } = before;
  const s = isTrue(before.status, 'Accepted') ? before : asAccepted(before);
  const created = withCondition(s.status, 'JobCreated', { status: 'True', reason: 'JobCreated', now });
  const free = withoutCondition(created, 'Waiting', { reason: 'JobCreated', now });
  const wait = queueWait(zipJob, job);
  const status = wait ? withCondition(free, 'Waiting', { status: 'True', ...wait, now }) : free;
  return {
    status: { ...withPhase(status, 'Starting', wait ?? { reason: 'JobCreated' }), job: { name, uid } },
    events: [{ type: 'Normal', reason: 'JobCreated', message: wait?.message ?? `Job ${name} was created` }],
  };
}

function suspended(s: Situation): Step {
  return {
    status: withCondition(withPhase(s.status, 'Queued', { reason: 'Suspended' }), 'Suspended', {
      status: 'True',
      reason: 'Suspended',
      now: s.now,
    }),
    ...(!isTrue(s.status, 'Suspended') && {
      events: [{ type: 'Normal', reason: 'Suspended', message: 'kept in the queue by spec.suspend' }],
    }),
  };
}

/**
 * Which limit blocks a job can change with every start of another job. The first one stays in the status: otherwise each change
 * would write the status of every job in the queue.
 */
function isStillBlocked({ status }: Situation, { reason }: Blocked): boolean {
  return reason === 'SlotsTaken' && status.reason === reason;
}

function behind(s: Situation, why: Blocked): Step {
  if (isStillBlocked(s, why)) return { status: s.status };
  const isNew = why.reason === 'OlderJobFirst' && s.seen.zipJob.status?.reason !== why.reason;
  return {
    status: withPhase(s.status, 'Queued', why),
    ...(isNew && { events: [{ type: 'Normal', ...why }] }),
  };
}

/** Its manifest takes much longer to make than to find out that the job has to wait. */
function createArchiveJob({ seen, config }: Situation, bucket: ZipBucket): Action {
  const { sharesTarget, sourceBuckets } = seen;
  return {
    kind: 'createJob',
    target: 'archive',
    job: archiveJob(seen.zipJob, bucket, { ...config, sharesTarget, sourceBuckets }),
  };
}

/**
 * If the job can start at once, its status is written after its Job exists, because an earlier status would be outdated
 * immediately.
 */
function start(s: Situation, bucket: ZipBucket): Step {
  const { blocked } = s.seen.position;
  // The ledger requeues the job when it may start.
  if (blocked) return { ...behind(s, blocked), slot: 'wait' };
  const isDeferred = s.seen.zipJob.status?.phase === undefined;
  return { status: s.status, slot: 'reserve', actions: [createArchiveJob(s, bucket)], isDeferred };
}

/** Retries a Job that the API server rejected, once the backoff is over. */
function startAgain(s: Situation, bucket: ZipBucket, refusal: Refusal): Step {
  const { reason, message, retryAt } = refusal;
  const step = held(s, { reason, message });
  if (step.status.phase !== 'Queued' || s.now < retryAt) return atTheLatest(step, msUntil(s.now, retryAt));
  return s.seen.position.blocked
    ? { ...step, slot: 'wait' }
    : { ...step, slot: 'reserve', actions: [createArchiveJob(s, bucket)] };
}

function create(before: Situation, verdict: Admission): Step {
  const { bucket, refusal } = before.seen;
  if (verdict.kind !== 'accept') return denied(before, verdict);
  if (!bucket) return { status: before.status };
  const s = { ...before, status: withQueued(before) };
  return refusal?.target === 'archive' ? startAgain(s, bucket, refusal) : start(s, bucket);
}

function queuedStep(s: Situation, verdict: Admission): Step {
  const { zipJob, position } = s.seen;
  if (zipJob.spec.suspend === true) return suspended(s);
  const unsuspended = {
    ...s,
    status: withoutCondition(s.status, 'Suspended', { reason: 'Unsuspended', now: s.now }),
  };
  const { blocked } = position;
  // The ledger requeues the job when it is next.
  const step =
    blocked?.reason === 'OlderJobFirst'
      ? { ...behind(unsuspended, blocked), slot: 'wait' as const }
      : create(unsuspended, verdict);
  return isTrue(s.status, 'Suspended') ? { ...step, events: [UNSUSPENDED, ...(step.events ?? [])] } : step;
}

/** The status of a job that no external reason blocks any more. */
function withQueued({ status, now }: Situation): OwnedStatus {
  const reasons: readonly (string | undefined)[] = ['OlderJobFirst', 'Suspended', 'ProjectNotFound'];
  const free = isTrue(status, 'Waiting', 'ProjectNotFound')
    ? withoutCondition(status, 'Waiting', { reason: 'Queued', now })
    : status;
  return reasons.includes(status.reason) ? withPhase(free, 'Queued', { reason: 'Queued' }) : free;
}

/** Waits if the Job belongs to an earlier ZipJob of this name, because Kubernetes deletes it soon. Any other Job stays. */
function nameTaken(s: Situation, job: Job): Step {
  const { zipJob } = s.seen;
  const { name } = zipJob.metadata;
  const reason = 'NameConflict';
  if (!isLeftOver(job, zipJob))
    return finish(s, s.status, {
      reason,
      message: `a Job named ${name} already exists and does not belong to this ZipJob; delete it or create the ZipJob under another name`,
    });
  const step = held(s, {
    reason,
    message: `the Job of an earlier ZipJob named ${name} is still being deleted`,
  });
  return { ...step, requeueAfterMs: Math.min(step.requeueAfterMs ?? Infinity, LEFT_OVER_MS) };
}

/** From the first reconcile of a ZipJob until its Job exists. */
export function queued(before: Situation): Step {
  const { zipJob, job } = before.seen;
  const status = { acceptedAt: acceptedAtOf(zipJob) ?? rfc3339(before.now), ...before.status };
  const s = { ...before, status };
  if (job?.metadata.uid !== undefined && isOwnedBy(job, zipJob)) return started(s, job, job.metadata.uid);
  if (job) return nameTaken(s, job);
  const verdict = admission(s.seen);
  if (isTrue(status, 'Accepted')) return queuedStep(s, verdict);
  if (verdict.kind !== 'accept') return denied(s, verdict);
  const step = queuedStep(asAccepted(s), verdict);
  return { ...step, events: [ACCEPTED, ...(step.events ?? [])] };
}
