import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { Attempt } from '#crds/zip-job.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { terminationOf } from '../../cluster/pod-state.ts';
import { timeOf } from '../../cluster/times.ts';

function bornAt(pod: Pod): number {
  return timeOf(pod.metadata.creationTimestamp) ?? 0;
}

/**
 * When the newest record's pod was created. Only ten records are kept, so an older pod without a record was active before.
 * Undefined while every record is kept.
 */
function droppedBefore(attempts: readonly Attempt[]): number | undefined {
  return (attempts.at(-1)?.n ?? 0) > attempts.length
    ? timeOf(attempts.findLast(({ startedAt }) => startedAt)?.startedAt)
    : undefined;
}

/** The pod waited to become active until its time was over. That is not an attempt, and its Job does not count it. */
function wasNeverActive(pod: Pod): boolean {
  return terminationOf(pod)?.exitCode === EXIT_CODES.notActive;
}

/** The pod to activate next: the oldest without a record. Compares only creation times, which the API server writes. */
export function nextPod(pods: readonly Pod[], attempts: readonly Attempt[] = []): Pod | undefined {
  const recorded = new Set(attempts.map(({ podUid }) => podUid));
  const since = droppedBefore(attempts) ?? 0;
  return pods
    .filter(
      (pod) =>
        pod.metadata.uid !== undefined &&
        !recorded.has(pod.metadata.uid) &&
        bornAt(pod) >= since &&
        !wasNeverActive(pod),
    )
    .toSorted((one, other) => bornAt(one) - bornAt(other))[0];
}
