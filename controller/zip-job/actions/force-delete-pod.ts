import { FIELD_MANAGERS } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { Action } from '../observation.ts';
import type { ActOptions } from './act-options.ts';

/**
 * The Job controller replaces a pod only once its phase is Failed, which the kubelet of a lost node never reports. So this
 * sets it, as the pod garbage collector does for pods of lost nodes.
 */
export async function forceDeletePod(
  options: ActOptions,
  namespace: string,
  { name, uid }: Extract<Action, { kind: 'forceDeletePod' }>,
): Promise<void> {
  const lost = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PodLost',
    message: 'the node of the pod does not respond',
  };
  const status = {
    phase: 'Failed',
    conditions: [{ ...lost, lastTransitionTime: rfc3339(options.clock.date()) }],
  };
  try {
    await options.pods.apply(
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, uid }, status },
      { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
    );
    await options.pods.delete(namespace, name, { uid, gracePeriodSeconds: 0 });
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
}
