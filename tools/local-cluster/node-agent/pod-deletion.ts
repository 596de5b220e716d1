import { setTimeout as delay } from 'node:timers/promises';
import { KubeApiError } from '../kube-api.ts';
import type { NodeContext } from './node-context.ts';
import type { Pod } from './pod-types.ts';

const RETRY_MS = 500;

/** Deletes the object of a pod whose processes have exited. Finalizers may keep it for a while. */
export async function deletePod({ api, link }: Pick<NodeContext, 'api' | 'link'>, pod: Pod): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const options = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } };
  for (;;) {
    await link.restored();
    try {
      await api.remove(`/api/v1/namespaces/${namespace}/pods/${name}`, options);
      return;
    } catch (error) {
      // It does not exist any more, or another pod has its name.
      if (error instanceof KubeApiError && (error.code === 404 || error.code === 409)) return;
    }
    await delay(RETRY_MS);
  }
}
