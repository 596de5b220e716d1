import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { OWN } from '../integration/policies/world.ts';
import { EMPTY_NAMESPACE } from './attempt.ts';
import type { Account } from './try-permissions.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ZIPPER = 'zipjobs-zipper';
/** Nobody can change the role of a binding that exists. The second text is that of Kubernetes 1.37. */
const UNCHANGEABLE = /cannot change roleRef|field is immutable/;
/** Roles of Kubernetes that users have. */
const OF_USERS = ['view', 'edit', 'admin', 'cluster-admin'];
const AT_ONCE = 8;

interface RoleRef {
  readonly kind: 'ClusterRole' | 'Role';
  readonly name: string;
  readonly namespace?: string;
}

async function listRoles(admin: KubeUser, kind: RoleRef['kind']): Promise<readonly RoleRef[]> {
  const path = `${RBAC}/${kind.toLowerCase()}s?labelSelector=app.kubernetes.io%2Fpart-of%3Dzipjobs`;
  const { body } = await admin.request('GET', path);
  const items = body['items'] as readonly { metadata: { name: string; namespace?: string } }[];
  return items.map(({ metadata: { name, namespace } }) => ({
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
  }));
}

/** Creates a binding with the name that the controller may use, and with another one. A project has the former already. */
async function canBind({ user }: Account, { kind, name, namespace }: RoleRef): Promise<boolean> {
  for (const where of namespace === undefined ? [OWN, EMPTY_NAMESPACE] : [namespace])
    for (const binding of where === OWN ? ['attempt'] : ['attempt', ZIPPER]) {
      const path = `${RBAC}/namespaces/${where}/rolebindings/${binding}?dryRun=All&force=true&fieldManager=attempt`;
      const body = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: binding, namespace: where },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
        subjects: [{ kind: 'ServiceAccount', name: ZIPPER, namespace: where }],
      };
      const { status, message } = await user.request('PATCH', path, { patch: 'apply', body });
      if (status < 300) return true;
      if (status !== 403 && !UNCHANGEABLE.test(message))
        throw new Error(`binding of ${kind} ${name} in ${where}: ${status} ${message}`);
    }
  return false;
}

/** Which roles of the chart and of users each account can bind to the zipper of a namespace, as a table in Markdown. */
export async function surveyBindings(admin: KubeUser, accounts: readonly Account[]): Promise<string> {
  const roles: readonly RoleRef[] = [
    ...(await listRoles(admin, 'ClusterRole')),
    ...(await listRoles(admin, 'Role')),
    ...OF_USERS.map((name): RoleRef => ({ kind: 'ClusterRole', name })),
  ];
  if (roles.length < 10) throw new Error(`the cluster has only the roles ${JSON.stringify(roles)}`);
  const rows: string[] = [];
  for (const account of accounts) {
    const bound: string[] = [];
    await inParallel(roles.length, AT_ONCE, async (index) => {
      const role = roles[index];
      if (role && (await canBind(account, role))) bound.push(`\`${role.name}\``);
    });
    rows.push(`| ${account.name} | ${bound.length === 0 ? 'none' : bound.toSorted().join(', ')} |`);
  }
  return [
    '**Roles that an account can bind to a zipper**',
    '',
    '| account | roles |',
    '|---|---|',
    ...rows,
  ].join('\n');
}
