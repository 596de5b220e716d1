import { LABELS } from '#crds/api-group.ts';
import type { Deployment } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';

/** A Deployment of the controller, with what its pods share. */
export interface Controllers {
  readonly namespace: string;
  readonly name: string;
  readonly leaseName: string;
  readonly serviceAccountName: string;
  readonly replicas: number;
}

const SELECTOR = `${LABELS.partOf}=zipjobs,${LABELS.component}=controller`;

function podOf({ spec }: Deployment) {
  return spec?.template.spec;
}

function leaseOf(deployment: Deployment): string | undefined {
  return podOf(deployment)?.containers[0]?.env?.find(({ name }) => name === 'LEASE_NAME')?.value;
}

function controllersOf(deployment: Deployment): Controllers {
  const { namespace, name } = deployment.metadata;
  return {
    namespace,
    name,
    // Both have the name of the Deployment unless the values set another.
    leaseName: leaseOf(deployment) ?? name,
    serviceAccountName: podOf(deployment)?.serviceAccountName ?? name,
    replicas: deployment.spec?.replicas ?? 1,
  };
}

/** The controllers of the release; none if it is already deleted. */
export async function findControllers(
  deployments: Pick<ObjectClient<Deployment>, 'list'>,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Controllers[]> {
  const found = await deployments.list({
    labelSelector: SELECTOR,
    signal,
    ...(namespace !== undefined && { namespace }),
  });
  return found.map(controllersOf);
}
