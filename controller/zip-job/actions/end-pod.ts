import { FIELD_MANAGERS } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';

export interface EndPodOptions {
  readonly pods: Pick<ObjectClient<Pod>, 'apply' | 'delete'>;
  readonly clock: Pick<Clock, 'date'>;
}

/** How the Job counts the pod. */
export interface PodEnd {
  readonly phase: 'Succeeded' | 'Failed';
  /** Set if no exit of the zipper ended the pod. The Job does not count it then. */
  readonly disruption?: { readonly reason: string; readonly message: string };
}

/**
 * Deletes a pod that its kubelet does not end. The Job controller counts a pod by its phase, and replaces it only once it has
 * ended, so this writes the phase first.
 */
export async function endPod(
  { pods, clock }: EndPodOptions,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
  { phase, disruption }: PodEnd,
): Promise<void> {
  const condition = disruption && {
    type: 'DisruptionTarget',
    status: 'True',
    ...disruption,
    lastTransitionTime: rfc3339(clock.date()),
  };
  const status = { phase, ...(condition && { conditions: [condition] }) };
  try {
    await pods.apply(
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, uid }, status },
      { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
    );
    await pods.delete(namespace, name, { uid, gracePeriodSeconds: 0 });
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
}
