import { ANNOTATIONS } from '#crds/api-group.ts';
import { REASONS, type Reason, rfc3339 } from '#crds/conditions.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { queueTurn } from '../../admission/queue-turn.ts';
import type { EventNote } from '../../engine/events.ts';
import type { Refusal } from '../../engine/refusal.ts';
import { isLeftOver, isOwnedBy } from '../../kube-state/job-state.ts';
import { timeOf } from '../../kube-state/times.ts';
import { archiveJob } from '../manifest/job-manifest.ts';
import type { Action, OwnedStatus, Situation, Step } from '../observation.ts';
import { isTrue, withCondition, withoutCondition, withPhase } from '../owned-status.ts';
import { admission } from '../policies/admission.ts';
import { isRestored } from '../policies/restored.ts';
import { queueWait, startDeadline } from '../policies/start-deadline.ts';
import { finish } from './ending.ts';

/** For a job that may start although no slot was requested, because the two checks ran at different times. */
const REQUEUE_MS = 1000;

/** Requeue delay while the Job of an earlier ZipJob still has the name. */
const LEFT_OVER_MS = 2000;

const ACCEPTED: EventNote = { type: 'Normal', reason: 'Accepted', message: REASONS.Accepted };

const RESUMED: EventNote = { type: 'Normal', reason: 'Resumed', message: REASONS.Resumed };

const acceptedAtOf = (s: Situation): string => {
  const { annotations, creationTimestamp } = s.seen.zipJob.metadata;
  const time = timeOf(annotations?.[ANNOTATIONS.acceptedAt]) ?? timeOf(creationTimestamp);
  return rfc3339(time === undefined ? s.now : new Date(time));
};

const untilMs = (s: Situation, time: Date | undefined): number | undefined =>
  time && Math.max(0, time.getTime() - s.now.getTime());

/** Reports an external reason that blocks the job, and fails the job when that lasts too long. */
const held = (s: Situation, why: { readonly reason: Reason; readonly message: string }): Step => {
  const deadline = startDeadline(s.seen.zipJob, undefined, s.config);
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
    requeueAfterMs: untilMs(s, deadline),
  };
};

const asAccepted = (s: Situation): Situation => {
  const { now } = s;
  const accepted = withCondition(s.status, 'Accepted', { status: 'True', reason: 'Accepted', now });
  const free = withoutCondition(accepted, 'Waiting', { reason: 'Queued', now });
  return { ...s, status: withPhase(free, 'Queued', { reason: 'Queued' }) };
};

const accept = (s: Situation): Step | Situation => {
  const verdict = admission(s.seen);
  if (verdict.kind === 'refuse') return finish(s, s.status, verdict);
  return verdict.kind === 'wait' ? held(s, verdict) : asAccepted(s);
};

/** Writes acceptance and queueing together with the Job, to save status writes under load. */
const started = (before: Situation, job: Job, uid: string): Step => {
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
};

const suspended = (s: Situation): Step => ({
  status: withCondition(withPhase(s.status, 'Queued', { reason: 'Suspended' }), 'Suspended', {
    status: 'True',
    reason: 'Suspended',
    now: s.now,
  }),
  ...(!isTrue(s.status, 'Suspended') && {
    events: [{ type: 'Normal', reason: 'Suspended', message: 'kept in the queue by spec.suspend' }],
  }),
});

/** Waits in the queue; the slots requeue the job when it may start. */
const awaitSlot = (s: Situation): Step => {
  const { slot } = s.seen;
  if (slot.kind !== 'waiting') return { status: s.status, requeueAfterMs: REQUEUE_MS };
  return { status: withPhase(s.status, 'Queued', { reason: slot.reason, message: slot.message }) };
};

/**
 * The status of a job that starts at once is written after its Job exists: an earlier status would be outdated
 * immediately.
 */
const begin = (s: Situation, action: Action): Step =>
  s.seen.slot.kind === 'granted'
    ? { status: s.status, actions: [action], isDeferred: s.seen.zipJob.status?.phase === undefined }
    : awaitSlot(s);

const beginAgain = (s: Situation, action: Action, refusal: Refusal): Step => {
  const { seen, now } = s;
  const { reason, message, retryAt } = refusal;
  const step = held(s, { reason, message });
  if (step.status.phase !== 'Queued' || now < retryAt)
    return { ...step, requeueAfterMs: Math.min(step.requeueAfterMs ?? Infinity, untilMs(s, retryAt) ?? 0) };
  return seen.slot.kind === 'granted' ? { ...step, actions: [action] } : step;
};

const create = (s: Situation): Step => {
  const { zipJob, bucket, refusal } = s.seen;
  if (!bucket) return { status: s.status };
  const action = { kind: 'createJob', target: 'archive', job: archiveJob(zipJob, bucket, s.config) } as const;
  return refusal?.target === 'archive' ? beginAgain(s, action, refusal) : begin(s, action);
};

const takeTurn = (s: Situation): Step => {
  const turn = queueTurn(s.seen);
  if (turn.kind === 'suspended') return suspended(s);
  const resumed = {
    ...s,
    status: withoutCondition(s.status, 'Suspended', { reason: 'Resumed', now: s.now }),
  };
  const back: readonly EventNote[] = isTrue(s.status, 'Suspended') ? [RESUMED] : [];
  if (turn.kind === 'go') {
    const step = create({ ...resumed, status: withQueued(resumed.status) });
    return { ...step, events: [...back, ...(step.events ?? [])] };
  }
  const message = `job ${turn.for} writes the same key of the same bucket and runs first`;
  const why = { reason: 'OlderJobFirst', message } as const;
  const isNew = s.status.reason !== why.reason;
  return {
    status: withPhase(resumed.status, 'Queued', why),
    events: [...back, ...(isNew ? [{ type: 'Normal', ...why } as const] : [])],
    // The other job may turn out to be blocked; then nothing else would requeue this one.
    ...(s.seen.started?.includes(turn.for) && { requeueAfterMs: REQUEUE_MS }),
  };
};

const withQueued = (status: OwnedStatus): OwnedStatus =>
  status.reason === 'OlderJobFirst' || status.reason === 'Suspended'
    ? withPhase(status, 'Queued', { reason: 'Queued' })
    : status;

/** Kubernetes deletes the Job of an earlier ZipJob of this name soon; any other Job stays. */
const nameTaken = (s: Situation, job: Job): Step => {
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
};

/** From the first reconcile of a ZipJob until its Job exists. */
export const queued = (before: Situation): Step => {
  const { zipJob, job } = before.seen;
  const status = { acceptedAt: acceptedAtOf(before), ...before.status };
  const s = { ...before, status };
  if (job?.metadata.uid !== undefined && isOwnedBy(job, zipJob)) return started(s, job, job.metadata.uid);
  if (isRestored(zipJob, s.now, s.config))
    return finish(s, status, {
      reason: 'Restored',
      message:
        'the job is older than a day and has no status: it was restored from a backup and does not run again',
    });
  if (job) return nameTaken(s, job);
  if (isTrue(status, 'Accepted')) return takeTurn(s);
  const accepted = accept(s);
  if (!('seen' in accepted)) return accepted;
  const step = takeTurn(accepted);
  return { ...step, events: [ACCEPTED, ...(step.events ?? [])] };
};
