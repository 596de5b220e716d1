import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';
import type { KubeApi } from './kube-api.ts';
import { conditionStatus, type Pod, type PodList } from './node-agent/pod-types.ts';

const POD_LIMIT_MS = 120_000;
const NODE_LIMIT_MS = 120_000;
const POLL_MS = 100;

interface Node {
  readonly spec: { readonly taints?: readonly unknown[] };
}

/** Address of a ready pod with these labels. Polls, because EndpointSlices cannot contain loopback addresses. */
export async function readyPodAddress(
  api: KubeApi,
  pods: { readonly namespace: string; readonly labels: string },
  signal?: AbortSignal,
): Promise<string> {
  const path = `/api/v1/namespaces/${pods.namespace}/pods?labelSelector=${encodeURIComponent(pods.labels)}`;
  const deadline = Date.now() + POD_LIMIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    const { items } = await api.get<PodList>(path, signal);
    const address = items.find(isServing)?.status?.podIP;
    if (address !== undefined) return address;
    if (Date.now() > deadline) {
      const seen = items.map((pod) => `${pod.metadata.name} ${pod.status?.phase}`).join(', ') || 'none';
      throw new ClusterError(
        `No pod of namespace ${pods.namespace} with labels ${pods.labels} became ready in ${POD_LIMIT_MS / 1000} s (seen: ${seen}). ` +
          'See the logs under pods/ of the cluster folder.',
      );
    }
    await delay(POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
}

function isServing(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && conditionStatus(pod, 'Ready') === 'True';
}

/** A new node is tainted until the controller manager has seen that it is ready. */
export async function untilSchedulable(api: KubeApi, name: string): Promise<void> {
  const deadline = Date.now() + NODE_LIMIT_MS;
  for (;;) {
    const { spec } = await api.get<Node>(`/api/v1/nodes/${name}`);
    if ((spec.taints ?? []).length === 0) return;
    if (Date.now() > deadline) {
      throw new ClusterError(
        `The node ${name} is still tainted after ${NODE_LIMIT_MS / 1000} s; see logs/kube-controller-manager.log.`,
      );
    }
    await delay(POLL_MS);
  }
}
