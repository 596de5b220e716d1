import { API_GROUP, GROUP_VERSION, LABELS, PLURALS } from '#crds/api-group.ts';
import type { KubeObject, ResourceDefinition } from '#runtime/kube/types.ts';

/** A kind that a dump contains. */
export interface DumpedKind extends Pick<ResourceDefinition<KubeObject>, 'apiVersion' | 'plural' | 'kind'> {
  readonly scope: 'Namespaced' | 'Cluster';
  readonly labelSelector?: string;
  /** Several lists, the most useful one first, in case not everything fits. */
  readonly fieldSelectors?: readonly string[];
}

/** Selects the objects of zipjobs: a project namespace may contain unrelated pods. */
const OURS = `${LABELS.partOf}=zipjobs`;

function namespaced(apiVersion: string, plural: string, kind: string): DumpedKind {
  return {
    apiVersion,
    plural,
    kind,
    scope: 'Namespaced',
  };
}

function ours(apiVersion: string, plural: string, kind: string): DumpedKind {
  return {
    ...namespaced(apiVersion, plural, kind),
    labelSelector: OURS,
  };
}

function cluster(apiVersion: string, plural: string, kind: string): DumpedKind {
  return {
    ...ours(apiVersion, plural, kind),
    scope: 'Cluster',
  };
}

const RBAC = 'rbac.authorization.k8s.io/v1';

export const ZIP_JOBS: DumpedKind = {
  ...namespaced(GROUP_VERSION, PLURALS.ZipJob, 'ZipJob'),
  fieldSelectors: ['status.phase!=Succeeded', 'status.phase=Succeeded'],
};
export const ZIP_PROJECTS = namespaced(GROUP_VERSION, PLURALS.ZipProject, 'ZipProject');

/** Kinds to dump in each namespace. Never add Secrets. */
export const NAMESPACED_KINDS: readonly DumpedKind[] = [
  ZIP_PROJECTS,
  namespaced(GROUP_VERSION, PLURALS.ZipBucket, 'ZipBucket'),
  namespaced(GROUP_VERSION, PLURALS.ZipToken, 'ZipToken'),
  ZIP_JOBS,
  ours('v1', 'pods', 'Pod'),
  ours('batch/v1', 'jobs', 'Job'),
  ours('apps/v1', 'deployments', 'Deployment'),
  ours('apps/v1', 'replicasets', 'ReplicaSet'),
  namespaced('v1', 'events', 'Event'),
  namespaced('coordination.k8s.io/v1', 'leases', 'Lease'),
  namespaced('v1', 'resourcequotas', 'ResourceQuota'),
  namespaced('v1', 'limitranges', 'LimitRange'),
  namespaced('v1', 'serviceaccounts', 'ServiceAccount'),
  namespaced(RBAC, 'roles', 'Role'),
  namespaced(RBAC, 'rolebindings', 'RoleBinding'),
  namespaced('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy'),
  ours('v1', 'configmaps', 'ConfigMap'),
  ours('v1', 'services', 'Service'),
  ours('networking.k8s.io/v1', 'ingresses', 'Ingress'),
];

export const CLUSTER_KINDS: readonly DumpedKind[] = [
  cluster(RBAC, 'clusterroles', 'ClusterRole'),
  cluster(RBAC, 'clusterrolebindings', 'ClusterRoleBinding'),
  cluster('admissionregistration.k8s.io/v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  cluster(
    'admissionregistration.k8s.io/v1',
    'validatingadmissionpolicybindings',
    'ValidatingAdmissionPolicyBinding',
  ),
];

/** Names of the zipjobs CustomResourceDefinitions. */
export const DEFINITIONS: readonly string[] = Object.values(PLURALS).map(
  (plural) => `${plural}.${API_GROUP}`,
);
