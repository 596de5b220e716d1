import type { Attempt } from '#crds/zip-job.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { timeOf } from '../../kube-state/times.ts';

const bornAt = (pod: Pod): number => timeOf(pod.metadata.creationTimestamp) ?? 0;

/**
 * The pod to activate next: the oldest without a record. Only ten records are kept, so a pod that is older than the
 * newest record was active before.
 */
export const nextPod = (pods: readonly Pod[], attempts: readonly Attempt[] | undefined): Pod | undefined => {
  const recorded = new Set(attempts?.map(({ podUid }) => podUid));
  const since = timeOf(attempts?.at(-1)?.startedAt) ?? 0;
  return pods
    .filter(
      (pod) => pod.metadata.uid !== undefined && !recorded.has(pod.metadata.uid) && bornAt(pod) >= since,
    )
    .toSorted((one, other) => bornAt(one) - bornAt(other))[0];
};
