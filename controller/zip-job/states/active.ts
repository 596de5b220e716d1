import { type Reason, rfc3339 } from '#crds/conditions.ts';
import { uidOf } from '#crds/object-meta.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { ownJob } from '../../cluster/job-state.ts';
import { isEnded, isLost, lostAt, silentAt } from '../../cluster/pod-state.ts';
import { MOUNT_GRACE_PERIOD_MS, type PodWait, whyNoContainer } from '../../cluster/pod-waiting.ts';
import { timeOf } from '../../cluster/times.ts';
import type { EventNote } from '../../reconciling/events.ts';
import { nextAttempt, withAttempt } from '../attempt.ts';
import type { Action, OwnedStatus, Situation, Step } from '../observation.ts';
import {
  hasStarted,
  isRecovering,
  isTrue,
  withCondition,
  withoutCondition,
  withPhase,
} from '../owned-status.ts';
import { wantsCheckpoint } from '../policies/checkpoint.ts';
import { HOPELESS_AFTER_MS, isOutOfTime, runDeadline } from '../policies/deadline.ts';
import { giveUp } from '../policies/failure.ts';
import { isDisinherited, withoutHeir } from '../policies/inheritance.ts';
import { nextPod } from '../policies/next-pod.ts';
import { POD_GRACE_PERIOD_MS } from '../policies/pod-not-created.ts';
import { withFirstInterval, withNextInterval } from '../policies/progress-interval.ts';
import { queueWait, startDeadline } from '../policies/start-deadline.ts';
import { atTheLatest, msUntil } from '../requeue.ts';
import { beginEnding } from './ending.ts';
import { failedEvent, podOver, waitingForPod } from './pod-over.ts';
import { recovering } from './recovering.ts';

const END_OF_TIME = new Date(8.64e15);

function deadlines(s: Situation, job: Job): Date | undefined {
  return runDeadline(s.seen.zipJob, job, s.config);
}

/** The message at the start deadline: includes every possible cause, because no better information follows. */
function waitedFor({ seen }: Situation, job: Job, pod: Pod | undefined): string {
  const held = queueWait(seen.zipJob, job);
  if (held) return `${held.reason}: ${held.message}`;
  if (!pod && seen.podRefusal) return `${seen.podRefusal.reason}: ${seen.podRefusal.message}`;
  if (!pod)
    return `a pod of Job ${job.metadata.name}, which was not created; check the quota and the admission policies of the namespace`;
  const wait = whyNoContainer({ pods: [pod], warning: seen.podRefusal }, END_OF_TIME);
  return wait ? `${wait.reason}: ${wait.message}` : `the first progress of pod ${pod.metadata.name}`;
}

function waitOf({ seen, now }: Situation, job: Job, pod: Pod | undefined): PodWait | undefined {
  return (
    queueWait(seen.zipJob, job) ?? whyNoContainer({ pods: pod ? [pod] : [], warning: seen.podRefusal }, now)
  );
}

function isYoung(job: Job, now: Date): boolean {
  return now.getTime() - (timeOf(job.metadata.creationTimestamp) ?? 0) <= POD_GRACE_PERIOD_MS;
}

function noLongerHeld(status: OwnedStatus, now: Date): OwnedStatus {
  return isTrue(status, 'Waiting')
    ? withoutCondition(withPhase(status, status.phase ?? 'Starting', { reason: 'PodStarting' }), 'Waiting', {
        reason: 'PodStarting',
        now,
      })
    : status;
}

function startDeadlineOf({ seen, config }: Situation, job: Job, pod: Pod | undefined): Date | undefined {
  const { freeableAt } = seen.quota ?? {};
  return startDeadline(seen.zipJob, job, { trustedQueues: config.trustedQueues, pod, freeableAt });
}

function notStarted(s: Situation, job: Job, pod: Pod | undefined): Step {
  const { now, status } = s;
  const wait = waitOf(s, job, pod);
  const deadline = startDeadlineOf(s, job, pod);
  if (deadline && now >= deadline)
    return beginEnding(s, {
      reason: 'StartDeadlineExceeded',
      message: `no zipper started before the deadline; the job waited for ${waitedFor(s, job, pod)}`,
    });
  const requeueAfterMs = msUntil(
    now,
    deadline,
    deadlines(s, job),
    new Date(now.getTime() + (isYoung(job, now) ? POD_GRACE_PERIOD_MS + 500 : MOUNT_GRACE_PERIOD_MS)),
  );
  if (!wait) return { status: noLongerHeld(status, now), requeueAfterMs };
  const isNew =
    !isTrue(status, 'Waiting') || status.conditions?.every(({ reason }) => reason !== wait.reason);
  return {
    status: withCondition(withPhase(status, status.phase ?? 'Starting', wait), 'Waiting', {
      status: 'True',
      ...wait,
      now,
    }),
    requeueAfterMs,
    ...(isNew === true && {
      events: [{ type: wait.reason === 'AwaitingQueue' ? 'Normal' : 'Warning', ...wait }],
    }),
  };
}

/** Reason and message of the phase; the message defaults to the text of the reason. */
interface Why {
  readonly reason: Reason;
  readonly message?: string;
}

/**
 * When the zipper wrote its first progress. Limited to the pod's lifetime by the API server's clock, because the clocks of
 * the zipper and of its kubelet may be wrong.
 */
function podStartedAt({ seen, now }: Situation, pod: Pod): Date {
  const reported = timeOf(seen.zipJob.status?.progress?.updatedAt) ?? now.getTime();
  const earliest = timeOf(pod.metadata.creationTimestamp) ?? reported;
  return new Date(Math.min(Math.max(reported, earliest), now.getTime()));
}

function runningStatus(s: Situation, pod: Pod, why: Why): OwnedStatus {
  const { now } = s;
  const free = withoutCondition(s.status, 'Waiting', { reason: 'Running', now });
  const on = withCondition(free, 'Running', { status: 'True', reason: 'Running', now });
  const node = pod.spec?.nodeName;
  return {
    ...withPhase(on, 'Running', why),
    startedAt: s.status.startedAt ?? rfc3339(podStartedAt(s, pod)),
    ...(on.job && { job: { ...on.job, ...defined({ node }) } }),
  };
}

/** Until when a pod without progress is not reported; undefined if it is now. Its next write may be an interval away. */
function quietUntil({ seen, now, config, status }: Situation): Date | undefined {
  const { since = now, isNew = true } = seen.seenProgress ?? {};
  const seconds = config.noProgressSeconds + (status.progressIntervalSeconds ?? 0);
  const until = new Date(since.getTime() + seconds * 1000);
  // After a restart of the controller, a report stays until there is progress.
  const isReported = !isNew && status.reason === 'NoProgress';
  return isReported || now >= until ? undefined : until;
}

/**
 * True if the job cannot meet its deadline. Only writes count, not the time since the last one: the API server or the store may be
 * away. Not while it completes its upload: then everything is read.
 */
function isHopeless({ seen }: Situation): boolean {
  const { since, lateSince } = seen.seenProgress ?? {};
  if (!since || !lateSince || seen.zipJob.status?.upload?.state === 'committing') return false;
  return since.getTime() - lateSince.getTime() >= HOPELESS_AFTER_MS;
}

function tooSlow(s: Situation, job: Job): Step {
  const { bytesRead = 0, estimatedEndAt = '' } = s.seen.zipJob.status?.progress ?? {};
  const deadline = rfc3339(deadlines(s, job) ?? s.now);
  return beginEnding(s, {
    reason: 'DeadlineExceeded',
    message: `the sources are too slow: with ${bytesRead} bytes read, the job would end at ${estimatedEndAt}, and its deadline is ${deadline}. It ended early, so that others can use its slot`,
  });
}

/** From now on the pod, which learns it from its next write, records how to continue its upload. */
function checkpointed(status: OwnedStatus, pod: Pod): Step {
  return {
    status: { ...status, checkpointed: true },
    before: [{ kind: 'setCheckpoint', podUid: uidOf(pod) }],
  };
}

function running(s: Situation, job: Job, pod: Pod): Step {
  const { now, config, status } = s;
  if (isHopeless(s)) return tooSlow(s, job);
  const { name } = pod.metadata;
  const until = quietUntil(s);
  const isQuiet = until === undefined;
  const admitted: EventNote = { type: 'Normal', reason: 'Running', message: `pod ${name} downloads files` };
  const quiet = {
    reason: 'NoProgress',
    message: `pod ${name} has made no progress for more than ${config.noProgressSeconds} s`,
  } as const;
  const isNews = isQuiet && status.reason !== quiet.reason;
  const next = withNextInterval(s, runningStatus(s, pod, isQuiet ? quiet : { reason: 'Running' }));
  return {
    ...(wantsCheckpoint(s, next) ? checkpointed(next, pod) : { status: next }),
    events: [
      ...(isTrue(status, 'Running') ? [] : [admitted]),
      ...(isNews ? [{ type: 'Warning', ...quiet } as const] : []),
    ],
    requeueAfterMs: msUntil(now, deadlines(s, job), until),
  };
}

/** The pod stays active until it counts as lost: it may have succeeded, and its node may recover and report that. */
function nodeSilent(s: Situation, job: Job, pod: Pod): Step {
  const { now, status } = s;
  const node = pod.spec?.nodeName ?? '';
  const why = {
    reason: 'NodeSilent',
    message: `pod ${pod.metadata.name} was asked to stop, but node ${node} does not report whether it did`,
  } as const;
  const reported = withPhase(status, status.phase ?? 'Starting', why);
  return {
    status: withCondition(reported, 'Waiting', { status: 'True', ...why, now }),
    requeueAfterMs: msUntil(now, deadlines(s, job), lostAt(pod)),
    ...(!isTrue(status, 'Waiting', why.reason) && { events: [{ type: 'Warning', ...why }] }),
  };
}

function activePod(s: Situation, job: Job, podUid: string): Step {
  const pod = s.seen.pods.find(({ metadata }) => metadata.uid === podUid);
  if (!pod || isEnded(pod) || isLost(pod, s.now)) return podOver(s, job, podUid);
  const silent = silentAt(pod);
  if (silent && s.now >= silent) return nodeSilent(s, job, pod);
  const step = hasStarted(s.seen.zipJob) ? running(s, job, pod) : notStarted(s, job, pod);
  return atTheLatest(step, msUntil(s.now, silent));
}

function activate(s: Situation, job: Job, pod: Pod): Step {
  const { now } = s;
  const { name } = job.metadata;
  const node = pod.spec?.nodeName;
  const recovered = withCondition(s.status, 'Recovered', { status: 'False', reason: 'PodActive', now });
  return {
    // First, so that the pod can read it as soon as it is active. Its predecessor can no longer write it then.
    ...(s.status.checkpointed === true && { before: [{ kind: 'setCheckpoint', podUid: uidOf(pod) }] }),
    status: {
      ...withFirstInterval(s, recovered),
      attemptsTotal: nextAttempt(s.status),
      job: {
        name,
        uid: uidOf(job),
        podName: pod.metadata.name,
        ...defined({ podUid: pod.metadata.uid, node }),
      },
    },
    events: [{ type: 'Normal', reason: 'PodActive', message: `pod ${pod.metadata.name} is active` }],
  };
}

/** A recovered pod on a lost node prevents the Job from starting the next pod. */
function forceLostPods(s: Situation): readonly Action[] {
  return s.seen.pods
    .filter((pod) => isLost(pod, s.now))
    .map((pod) => ({ kind: 'forceDeletePod', name: pod.metadata.name, uid: uidOf(pod) }));
}

function noActivePod(s: Situation, job: Job): Step {
  const { seen, status, now, config } = s;
  const next = nextPod(seen.pods, status.attempts);
  const podUid = next?.metadata.uid;
  if (next && podUid !== undefined && isEnded(next)) {
    // The pod exited before it was active, so it cannot have uploaded anything.
    const recorded = withAttempt(status, seen.zipJob, { podUid, pod: next, now });
    return { status: recorded, events: failedEvent(recorded) };
  }
  const outcome = giveUp(seen.zipJob, job, { status, maxDisruptions: config.maxDisruptions });
  if (outcome) return beginEnding(s, outcome);
  if (next && next.metadata.deletionTimestamp === undefined) return activate(s, job, next);
  const step = atTheLatest(notStarted(s, job, undefined), msUntil(now, ...seen.pods.map(lostAt)));
  return { ...step, actions: [...(step.actions ?? []), ...forceLostPods(s)] };
}

function betweenPods(s: Situation, job: Job): Step {
  return isDisinherited(s) ? { status: withoutHeir(s.status, s.now) } : noActivePod(s, job);
}

function continueRecovery(s: Situation): Step {
  const result = recovering(s);
  if (result.kind === 'waiting') return result.step;
  const { status, events, actions, outcome } = result;
  const next = waitingForPod(status, 'waiting for the next pod');
  if (!outcome) return { status: next, events, actions };
  const step = beginEnding({ ...s, status }, outcome);
  return {
    ...step,
    events: [...events, ...(step.events ?? [])],
    actions: [...actions, ...(step.actions ?? [])],
  };
}

/** From the creation of the Job until the outcome is known: phases Starting and Running. */
export function active(s: Situation): Step {
  const job = ownJob(s.seen);
  const wanted = s.status.job?.uid;
  if (!job || job.metadata.uid !== wanted)
    return beginEnding(s, {
      reason: 'JobDeleted',
      message: `another client deleted Job ${s.status.job?.name ?? ''}`,
    });
  if (isRecovering(s.status)) return continueRecovery(s);
  const { now, config } = s;
  if (isOutOfTime(s.seen.zipJob, job, { now, activeDeadlineSeconds: config.activeDeadlineSeconds }))
    return beginEnding(s, { reason: 'DeadlineExceeded', message: 'the job exceeded its deadline' });
  const { podUid } = s.status.job ?? {};
  return podUid === undefined ? betweenPods(s, job) : activePod(s, job, podUid);
}
