import { createKubeClient, type KubeClient } from '#runtime/kube/client/client.ts';
import type { KubeClientOptions } from '#runtime/kube/client/kube-request.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';

/** One client per kind that the controller reads or writes itself. */
function createClients(kube: KubeClient, leaseKube: KubeClient) {
  return {
    zipJobs: createObjectClient(kube, RESOURCES.zipJobs),
    buckets: createObjectClient(kube, RESOURCES.zipBuckets),
    projects: createObjectClient(kube, RESOURCES.zipProjects),
    checkpoints: createObjectClient(kube, RESOURCES.zipCheckpoints),
    jobs: createObjectClient(kube, RESOURCES.jobs),
    pods: createObjectClient(kube, RESOURCES.pods),
    secrets: createObjectClient(kube, RESOURCES.secrets),
    events: createObjectClient(kube, RESOURCES.events),
    leases: createObjectClient(leaseKube, RESOURCES.leases),
    namespaces: createObjectClient(kube, RESOURCES.namespaces),
  };
}

export type Clients = ReturnType<typeof createClients>;

/**
 * Connects on the first call. The Lease has connections of its own: behind hundreds of other calls, a renewal would miss its
 * deadline, and the controller would end.
 */
export function connectClients(
  options: KubeClientOptions,
  resources: AsyncDisposableStack,
): { readonly kube: KubeClient; readonly clients: Clients } {
  const kube = resources.use(createKubeClient(options));
  const leaseKube = resources.use(createKubeClient(options));
  return { kube, clients: createClients(kube, leaseKube) };
}
