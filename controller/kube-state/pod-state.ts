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

/** How long a node may take beyond the grace period before it is told that it does not answer. */
const SILENT_AFTER_MS = 5_000;
/** And before the pod counts as lost with it. */
const LOST_AFTER_MS = 60_000;

const overdueAt = (pod: Pod, patienceMs: number): Date | undefined => {
  const gone = timeOf(pod.metadata.deletionTimestamp);
  return gone === undefined || isEnded(pod) ? undefined : new Date(gone + patienceMs);
};

/** From when on the node of a pod that was told to stop counts as silent; undefined while nobody told it. */
export const silentAt = (pod: Pod): Date | undefined => overdueAt(pod, SILENT_AFTER_MS);

/** From when on such a pod is given up. */
export const lostAt = (pod: Pod): Date | undefined => overdueAt(pod, LOST_AFTER_MS);

/** True when the pod should be gone by its grace period and its node says nothing. */
export const isLost = (pod: Pod, now: Date): boolean => {
  const at = lostAt(pod);
  return at !== undefined && now >= at;
};

/** True when something outside (drain, preemption, a taint, the kubelet) ended the pod. */
export const isDisrupted = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True') ===
  true;
