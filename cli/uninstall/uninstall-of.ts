import { createUserClient } from '#administration/changes/user-client.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { KubeObject, ListOptions, ResourceDefinition } from '#runtime/kube/types.ts';
import type { Session } from '../session.ts';
import { createUninstall } from './uninstall.ts';

const QUIET_MS = 4000;

/** Failed writes keep the code of the API server: a conflict is tried again at once. A cluster may have many objects. */
function readExplained<T extends KubeObject>(kube: KubeClient, definition: ResourceDefinition<T>) {
  const user = createUserClient(kube, definition);
  return {
    ...createObjectClient(kube, definition),
    get: (namespace: string, name: string, signal?: AbortSignal) => user.get(namespace, name, signal),
    list: (options: ListOptions) => user.list({ maxBytes: Infinity, ...options }),
  };
}

/** With the permissions of the user. */
export function uninstallOf({ kube, clock }: Session) {
  return createUninstall({
    deployments: createUserClient(kube, RESOURCES.deployments),
    leases: readExplained(kube, RESOURCES.leases),
    serviceAccounts: createUserClient(kube, RESOURCES.serviceAccounts),
    finalized: [
      readExplained(kube, RESOURCES.zipJobs),
      readExplained(kube, RESOURCES.zipBuckets),
      readExplained(kube, RESOURCES.zipProjects),
    ],
    clock,
    quietMs: QUIET_MS,
  });
}
