import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { timeOf } from './times.ts';

export type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

export const zipperStatusOf = (pod: Pod): ContainerStatus | undefined =>
  pod.status?.containerStatuses?.find(({ name }) => name === ZIPPER_CONTAINER);

/** How the zipper's container ended; undefined while it has not. */
export const terminationOf = (
  pod: Pod,
): NonNullable<NonNullable<ContainerStatus['state']>['terminated']> | undefined =>
  zipperStatusOf(pod)?.state?.terminated;

export const isEnded = (pod: Pod): boolean =>
  pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

/** Time after the grace period at which a node is reported as not responding. */
const SILENT_AFTER_MS = 5_000;
/** Time after the grace period at which a pod counts as lost. */
const LOST_AFTER_MS = 60_000;

const overdueAt = (pod: Pod, gracePeriodMs: number): Date | undefined => {
  const gone = timeOf(pod.metadata.deletionTimestamp);
  return gone === undefined || isEnded(pod) ? undefined : new Date(gone + gracePeriodMs);
};

/** When the node of a terminating pod counts as silent; undefined for any other pod. */
export const silentAt = (pod: Pod): Date | undefined => overdueAt(pod, SILENT_AFTER_MS);

/** When such a pod counts as lost. */
export const lostAt = (pod: Pod): Date | undefined => overdueAt(pod, LOST_AFTER_MS);

/** True if the grace period is over and the node has not reported the end of the pod. */
export const isLost = (pod: Pod, now: Date): boolean => {
  const at = lostAt(pod);
  return at !== undefined && now >= at;
};

/** When the API server bound the pod to its node; undefined before. */
export const scheduledAt = ({ status }: Pod): number | undefined =>
  timeOf(
    status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'True')
      ?.lastTransitionTime,
  );

/** True if a disruption (drain, preemption, a taint, the kubelet) ended the pod. */
export const isDisrupted = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True') ===
  true;
