/** The kinds that the checks read. Never add Secrets. */
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import type { KubeObject, ResourceDefinition } from '../kube/types.ts';

export interface ReadKind extends Pick<ResourceDefinition<KubeObject>, 'apiVersion' | 'plural' | 'kind'> {
  readonly scope: 'Namespaced' | 'Cluster';
}

function namespaced(apiVersion: string, plural: string, kind: string): ReadKind {
  return { apiVersion, plural, kind, scope: 'Namespaced' };
}

function cluster(apiVersion: string, plural: string, kind: string): ReadKind {
  return { apiVersion, plural, kind, scope: 'Cluster' };
}

const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';

/** By kind. */
export const KINDS = {
  ConfigMap: namespaced('v1', 'configmaps', 'ConfigMap'),
  Deployment: namespaced('apps/v1', 'deployments', 'Deployment'),
  Pod: namespaced('v1', 'pods', 'Pod'),
  Lease: namespaced('coordination.k8s.io/v1', 'leases', 'Lease'),
  Role: namespaced(RBAC, 'roles', 'Role'),
  RoleBinding: namespaced(RBAC, 'rolebindings', 'RoleBinding'),
  ClusterRole: cluster(RBAC, 'clusterroles', 'ClusterRole'),
  ClusterRoleBinding: cluster(RBAC, 'clusterrolebindings', 'ClusterRoleBinding'),
  ValidatingAdmissionPolicy: cluster(ADMISSION, 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  ValidatingAdmissionPolicyBinding: cluster(
    ADMISSION,
    'validatingadmissionpolicybindings',
    'ValidatingAdmissionPolicyBinding',
  ),
  CustomResourceDefinition: cluster(
    'apiextensions.k8s.io/v1',
    'customresourcedefinitions',
    'CustomResourceDefinition',
  ),
  ZipJob: namespaced(GROUP_VERSION, PLURALS.ZipJob, 'ZipJob'),
  ZipBucket: namespaced(GROUP_VERSION, PLURALS.ZipBucket, 'ZipBucket'),
  ZipProject: namespaced(GROUP_VERSION, PLURALS.ZipProject, 'ZipProject'),
} as const;

/** As `kubectl auth can-i` takes it, such as `leases.coordination.k8s.io`. */
export function resourceOf({ apiVersion, plural }: Pick<ReadKind, 'apiVersion' | 'plural'>): string {
  const [group, version] = apiVersion.split('/');
  return version === undefined ? plural : `${plural}.${group}`;
}
