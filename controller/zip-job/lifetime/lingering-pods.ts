import { EXIT_CODES } from '#crds/exit-codes.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import type { Change } from '#runtime/kube/types.ts';
import { isEnded, isPodOver, terminationOf } from '../../cluster/pod-state.ts';
import { type EndPodOptions, endPod } from '../actions/end-pod.ts';
import { createDelayed, type DelayedOptions } from './delayed.ts';

/**
 * Ends pods that a sidecar keeps running after their zipper has ended, of archives, recoveries and bucket tests. Their Job would
 * never end. It counts the pod by the exit code of the zipper, never by that of the sidecar.
 */
export interface LingeringPods {
  see(change: Change<Pod>): void;
}

/** Time in which a sidecar can send the last log lines. */
const LOG_GRACE_PERIOD_MS = 30_000;

/** A pod that is being deleted ends without us. */
function lingers(pod: Pod): boolean {
  return isEnded(pod) && !isPodOver(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function createLingeringPods(options: DelayedOptions & EndPodOptions): LingeringPods {
  return createDelayed<Pod>(options, {
    delayMs: LOG_GRACE_PERIOD_MS,
    isDue: lingers,
    perform: async (pod) => {
      const { namespace, name } = pod.metadata;
      const phase = terminationOf(pod)?.exitCode === EXIT_CODES.ok ? 'Succeeded' : 'Failed';
      await endPod(options, { namespace, name, uid: uidOf(pod) }, { phase });
      return 'deleted a pod that ran on after its zipper had ended';
    },
  });
}
