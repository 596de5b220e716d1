import type { KubeClient } from '#runtime/kube/client.ts';
import { createObjectClient } from '#runtime/kube/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';

/** One client per kind that the controller reads or writes itself. */
export const createClients = (kube: KubeClient) => ({
  zipJobs: createObjectClient(kube, RESOURCES.zipJobs),
  buckets: createObjectClient(kube, RESOURCES.zipBuckets),
  projects: createObjectClient(kube, RESOURCES.zipProjects),
  jobs: createObjectClient(kube, RESOURCES.jobs),
  pods: createObjectClient(kube, RESOURCES.pods),
  secrets: createObjectClient(kube, RESOURCES.secrets),
  events: createObjectClient(kube, RESOURCES.events),
  leases: createObjectClient(kube, RESOURCES.leases),
  namespaces: createObjectClient(kube, RESOURCES.namespaces),
});
export type Clients = ReturnType<typeof createClients>;
