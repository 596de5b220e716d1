import type { Job } from '#runtime/kube/resources.ts';
import { isEnded } from '../../cluster/pod-state.ts';
import type { EventNote } from '../../reconciling/events.ts';
import type { OwnedStatus, Situation, Step } from '../observation.ts';
import { withoutCondition } from '../owned-status.ts';
import { inherited } from '../policies/inheritance.ts';
import { revoke } from './ending.ts';

/** The event about the last attempt. */
export function failedEvent(status: OwnedStatus): readonly EventNote[] {
  const last = status.attempts?.at(-1);
  if (!last || last.class === 'success') return [];
  const message = `attempt ${last.n} failed: ${last.reason ?? last.class ?? ''}: ${last.message ?? ''}`;
  return [{ type: 'Warning', reason: 'AttemptFailed', message }];
}

/** Why no pod is active after the last attempt, and what follows. */
export function waitingForPod(status: OwnedStatus, what: string): OwnedStatus {
  const last = status.attempts?.at(-1);
  const message = `attempt ${last?.n ?? 0} failed (${last?.reason ?? last?.class ?? 'unknown'}); ${what}`;
  return { ...status, reason: 'PodStarting', message };
}

/**
 * Deactivates a pod that exited, was deleted, or is lost with its node. Its recovery follows, unless the next pod can continue its
 * upload: nothing can publish that meanwhile.
 */
export function podOver(s: Situation, job: Job, podUid: string): Step {
  const lost = { reason: 'PodLost', message: 'the node of the pod does not respond' };
  const pod = s.seen.pods.find(({ metadata }) => metadata.uid === podUid);
  const revoked = revoke(s, pod && !isEnded(pod) ? lost : undefined);
  const next = inherited(s, job, { status: revoked, ended: { podUid, pod } });
  const why = { reason: next ? 'Inherited' : 'Recovering', now: s.now } as const;
  const status = next ? waitingForPod(next, 'the next pod continues its upload') : revoked;
  return {
    status: withoutCondition(withoutCondition(status, 'Running', why), 'Waiting', why),
    events: failedEvent(status),
  };
}
