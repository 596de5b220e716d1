import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { timeOf } from './times.ts';

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

export const zipperStatusOf = (pod: Pod): ContainerStatus | undefined =>
  pod.status?.containerStatuses?.find(({ name }) => name === ZIPPER_CONTAINER);

/** How the zipper's container ended; undefined while it has not. */
export const terminationOf = (
  pod: Pod,
): NonNullable<NonNullable<ContainerStatus['state']>['terminated']> | undefined =>
  zipperStatusOf(pod)?.state?.terminated;

export const isEnded = (pod: Pod): boolean =>
  pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

/** How long a node may take beyond the grace period before the pod counts as lost with its node. */
const LOST_AFTER_MS = 60_000;

/** True when the pod should be gone by its grace period and its node says nothing. */
export const isLost = (pod: Pod, now: Date): boolean => {
  const gone = timeOf(pod.metadata.deletionTimestamp);
  return gone !== undefined && !isEnded(pod) && now.getTime() > gone + LOST_AFTER_MS;
};

/** True when something outside (drain, preemption, a taint, the kubelet) ended the pod. */
export const isDisrupted = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True') ===
  true;
