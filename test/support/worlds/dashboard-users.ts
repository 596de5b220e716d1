import type { NodelessCluster } from '#tools/local-cluster/cluster-types.ts';
import { untilAllowed } from '../until-allowed.ts';
import { applyObjects } from './project.ts';

/** A service account of a namespace, as a user who signs in with its token. */
export interface DashboardUser {
  /** User name at the API server. */
  readonly name: string;
  readonly token: string;
  /** Removes the role in the namespace. */
  dropRole(): Promise<void>;
  /** Revokes every token of the user. */
  revoke(): Promise<void>;
}

/** Creates a user with one of the built-in roles (view, edit, admin) in the namespace, or with none. */
export async function createDashboardUser(
  cluster: NodelessCluster,
  namespace: string,
  { account, role }: { readonly account: string; readonly role?: 'view' | 'edit' | 'admin' },
): Promise<DashboardUser> {
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace, name: `dashboard-${account}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  };
  await applyObjects(cluster, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: account } },
    ...(role === undefined ? [] : [binding]),
  ]);
  const { stdout } = await cluster.kubectl(['create', 'token', account, '-n', namespace]);
  const name = `system:serviceaccount:${namespace}:${account}`;
  if (role !== undefined)
    await untilAllowed(cluster, { user: name, verb: 'list', resource: 'zipjobs.zipjobs.dev', namespace });
  return {
    name,
    token: stdout.trim(),
    dropRole: async () => {
      await cluster.kubectl(['delete', 'rolebinding', `dashboard-${account}`, '-n', namespace]);
    },
    revoke: async () => {
      await cluster.kubectl(['delete', 'serviceaccount', account, '-n', namespace]);
    },
  };
}
