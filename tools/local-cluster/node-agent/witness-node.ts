import { type KubeApi, KubeApiError } from '../kube-api.ts';
import { keepAlive, type NodeIdentity, registerNode } from './node-registration.ts';

export interface Witness {
  /** Removes its Node. */
  remove(): Promise<void>;
  /** Ends its heartbeat only, for a cluster that ends as well. */
  abandon(): void;
}

const WITNESS: NodeIdentity = { name: 'witness', hostIP: '127.0.0.1', logPort: 0, unschedulable: true };

/**
 * A second node that lives while the first is lost and takes no pods. Without it every node would be lost, and then
 * Kubernetes evicts nothing: it takes that for a fault of its own.
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
        // Somebody may have removed it before.
        if (!(error instanceof KubeApiError) || error.code !== 404) throw error;
      });
    },
  };
}
