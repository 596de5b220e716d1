import { type KubeApi, KubeApiError } from '../kube-api.ts';
import { keepAlive, type NodeIdentity, registerNode } from './node-registration.ts';

export interface Witness {
  /** Deletes its Node object. */
  remove(): Promise<void>;
  /** Stops only its heartbeat, when the whole cluster ends. */
  abandon(): void;
}

const WITNESS: NodeIdentity = { name: 'witness', hostIP: '127.0.0.1', logPort: 0, unschedulable: true };

/**
 * A second node without pods that stays alive while the first one is lost. If all nodes are lost, Kubernetes assumes a
 * network problem and evicts nothing.
 */
export async function startWitness(api: KubeApi): Promise<Witness> {
  const controller = new AbortController();
  await registerNode(api, WITNESS);
  const ended = keepAlive(api, WITNESS, controller.signal);
  return {
    abandon: () => controller.abort(),
    remove: async () => {
      controller.abort();
      await ended;
      await api.remove(`/api/v1/nodes/${WITNESS.name}`, {}).catch((error: unknown) => {
        // It may have been deleted before.
        if (!(error instanceof KubeApiError) || error.code !== 404) throw error;
      });
    },
  };
}
