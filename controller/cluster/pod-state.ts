import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { timeOf } from './times.ts';

export type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

export function zipperStatusOf(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === ZIPPER_CONTAINER);
}

/** How the zipper's container ended; undefined while it has not. */
export function terminationOf(
  pod: Pod,
): NonNullable<NonNullable<ContainerStatus['state']>['terminated']> | undefined {
  return zipperStatusOf(pod)?.state?.terminated;
}

/** True once Kubernetes reports the end of the whole pod, which is what its Job counts. */
export function isPodOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/**
 * True once the zipper has ended, also while a sidecar keeps the pod running. A disrupted pod ends as a whole, and as failed,
 * whatever the exit code of its zipper.
 */
export function isEnded(pod: Pod): boolean {
  return isPodOver(pod) || (terminationOf(pod) !== undefined && !isDisrupted(pod));
}

/** Time after the grace period at which a node is reported as not responding. */
const SILENT_AFTER_MS = 5_000;
/** Time after the grace period at which a pod counts as lost. */
const LOST_AFTER_MS = 60_000;

function overdueAt(pod: Pod, gracePeriodMs: number): Date | undefined {
  const gone = timeOf(pod.metadata.deletionTimestamp);
  return gone === undefined || isEnded(pod) ? undefined : new Date(gone + gracePeriodMs);
}

/** When the node of a terminating pod counts as silent; undefined for any other pod. */
export function silentAt(pod: Pod): Date | undefined {
  return overdueAt(pod, SILENT_AFTER_MS);
}

/** When such a pod counts as lost. */
export function lostAt(pod: Pod): Date | undefined {
  return overdueAt(pod, LOST_AFTER_MS);
}

/** True if the grace period is over and the node has not reported the end of the pod. */
export function isLost(pod: Pod, now: Date): boolean {
  const at = lostAt(pod);
  return at !== undefined && now >= at;
}

/** When the API server bound the pod to its node; undefined before. */
export function scheduledAt({ status }: Pod): number | undefined {
  return timeOf(
    status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'True')
      ?.lastTransitionTime,
  );
}

/** True if a disruption (drain, preemption, a taint, the kubelet) ended the pod. */
export function isDisrupted(pod: Pod): boolean {
  return (
    pod.status?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True') ===
    true
  );
}
