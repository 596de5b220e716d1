import type { Pod } from '#runtime/kube/resources.ts';
import { ownJob } from '../../cluster/job-state.ts';
import { isEnded, isLost, lostAt } from '../../cluster/pod-state.ts';
import { timeOf } from '../../cluster/times.ts';
import { type Removal, withAttempt } from '../attempt.ts';
import type { OwnedStatus, Situation, Step } from '../observation.ts';
import { msUntil } from '../requeue.ts';
import { deleteJob, endJob } from './ending.ts';

/** A zipper exits right after it writes its result. After this time its Job is deleted, which stops the pod. */
const EXIT_GRACE_PERIOD_MS = 30_000;

function activePod({ seen, status }: Situation): Pod | undefined {
  return seen.pods.find(({ metadata }) => metadata.uid === status.job?.podUid);
}

function removalOf(pod: Pod | undefined): Removal {
  return pod
    ? { reason: 'PodLost', message: 'the node of the pod does not respond' }
    : { reason: 'PodGone', message: 'the pod was deleted before its exit was reported' };
}

/** Records the attempt of a pod that wrote its result and is gone now; the status is unchanged while the pod may run. */
export function recordExit(s: Situation): OwnedStatus {
  const { podUid, ...job } = s.status.job ?? { name: '', uid: '' };
  const pod = activePod(s);
  if (podUid === undefined || (pod && !isEnded(pod) && !isLost(pod, s.now))) return s.status;
  const ended = { podUid, pod, removal: removalOf(pod), now: s.now };
  return withAttempt({ ...s.status, job }, s.seen.zipJob, ended);
}

/**
 * Follows the pod of a finished job until it is gone. Until then it stays in `status.job.podUid`, which keeps the slot of
 * the job and its key.
 */
export function podExit(s: Situation): Step {
  const status = recordExit(s);
  const pod = activePod(s);
  if (status.job?.podUid === undefined || !pod) return { status, actions: endJob(s, status) };
  const finishedAt = timeOf(status.finishedAt) ?? s.now.getTime();
  const waitMs = finishedAt + EXIT_GRACE_PERIOD_MS - s.now.getTime();
  if (waitMs > 0) return { status, requeueAfterMs: waitMs };
  return { status, actions: deleteJob(ownJob(s.seen)), requeueAfterMs: msUntil(s.now, lostAt(pod)) };
}
