import type { Reason } from '#crds/conditions.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { scheduledAt, zipperStatusOf } from './pod-state.ts';

export interface PodWait {
  readonly reason: Reason;
  readonly message: string;
}

const REASON_OF_WAITING: Readonly<Record<string, Reason>> = {
  ErrImagePull: 'ImagePull',
  ImagePullBackOff: 'ImagePull',
  InvalidImageName: 'ImagePull',
  ErrImageNeverPull: 'ImagePull',
  CreateContainerConfigError: 'ContainerConfig',
  CreateContainerError: 'ContainerConfig',
  RunContainerError: 'ContainerConfig',
};

/** Mounts normally take a second or two. A missing Secret leaves the pod in ContainerCreating without an error. */
export const MOUNT_GRACE_PERIOD_MS = 30_000;

function mountsOf(pod: Pod): string {
  const names = (pod.spec?.volumes ?? []).flatMap((volume) => [
    ...(volume.secret?.secretName === undefined ? [] : [volume.secret.secretName]),
    ...(volume.projected?.sources ?? []).flatMap((source) => source.secret?.name ?? []),
  ]);
  return names.join(', ');
}

function mounting(pod: Pod, now: Date): PodWait | undefined {
  const since = scheduledAt(pod);
  if (since === undefined || now.getTime() - since < MOUNT_GRACE_PERIOD_MS) return undefined;
  return {
    reason: 'ContainerConfig',
    message: `the container of pod ${pod.metadata.name} has not been created; check whether these Secrets exist: ${mountsOf(pod)}`,
  };
}

function unschedulable(pod: Pod): PodWait | undefined {
  const condition = pod.status?.conditions?.find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  return condition && { reason: 'Unschedulable', message: condition.message ?? 'no node can run the pod' };
}

function hasRun(pod: Pod): boolean {
  const state = zipperStatusOf(pod)?.state;
  return state?.running !== undefined || state?.terminated !== undefined;
}

function refusedByNode(pod: Pod): PodWait | undefined {
  const waiting = zipperStatusOf(pod)?.state?.waiting;
  const reason = REASON_OF_WAITING[waiting?.reason ?? ''];
  return reason && { reason, message: `${waiting?.reason}: ${waiting?.message ?? ''}` };
}

/** The external reason why a pod does not start; undefined if none is known. */
export function podWaiting(pod: Pod, now: Date): PodWait | undefined {
  // The report of a node comes first: the pod is scheduled then, whatever the scheduler wrote before.
  return hasRun(pod) ? undefined : (refusedByNode(pod) ?? unschedulable(pod) ?? mounting(pod, now));
}
