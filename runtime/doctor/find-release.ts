import { LABELS } from '#crds/api-group.ts';
import { textAt } from '../kube/fields.ts';
import { KINDS } from './kinds.ts';
import { ForbiddenReadError, type Reader } from './reader.ts';
import { type ReleaseRecord, readRecord } from './release-record.ts';

const DEFAULT_SYSTEM_NAMESPACE = 'zipjobs-system';
const OF_RELEASE = `${LABELS.partOf}=zipjobs`;
const CONTROLLER = 'controller';

/** The installation that the checks are about. */
export interface Release {
  readonly namespace: string;
  /** Of its Deployments and other named objects. */
  readonly prefix: string;
  /** Deployments of the components. */
  readonly deployments: readonly unknown[];
  /** Pods of the release in its namespace; those of zippers are not among them. */
  readonly pods: readonly unknown[];
  readonly record: ReleaseRecord | undefined;
}

export function componentOf(object: unknown): string {
  return textAt(object, 'metadata', 'labels', LABELS.component);
}

async function deploymentsOf(reader: Reader, namespace: string | undefined): Promise<readonly unknown[]> {
  try {
    return (await reader.list(KINDS.Deployment, { namespace, labelSelector: OF_RELEASE })).items;
  } catch (error) {
    if (!(error instanceof ForbiddenReadError) || namespace !== undefined) throw error;
    return deploymentsOf(reader, DEFAULT_SYSTEM_NAMESPACE);
  }
}

function prefixOf(deployments: readonly unknown[]): string {
  const controller = deployments.find((one) => componentOf(one) === CONTROLLER);
  return textAt(controller, 'metadata', 'name').replace(/-controller$/, '') || 'zipjobs';
}

/**
 * The release in this namespace, or else the first of the cluster. Undefined if there is none. A user who may not list the
 * Deployments of all namespaces gets the one in the usual namespace.
 * @throws ForbiddenReadError
 */
export async function findRelease(
  reader: Reader,
  systemNamespace: string | undefined,
): Promise<Release | undefined> {
  const found = await deploymentsOf(reader, systemNamespace);
  const controller = found.find((one) => componentOf(one) === CONTROLLER) ?? found[0];
  if (controller === undefined) return undefined;
  const namespace = textAt(controller, 'metadata', 'namespace');
  const deployments = found.filter((one) => textAt(one, 'metadata', 'namespace') === namespace);
  const prefix = prefixOf(deployments);
  const { items } = await reader.list(KINDS.Pod, { namespace, labelSelector: OF_RELEASE });
  const components = new Set(deployments.map(componentOf));
  const configMap = await reader.get(KINDS.ConfigMap, `${prefix}-release`, namespace);
  return {
    namespace,
    prefix,
    deployments,
    pods: items.filter((pod) => components.has(componentOf(pod))),
    record: readRecord(configMap),
  };
}
