/** What an attacker with each token can do, on the cluster of the policy tests. */
import { type KubeUser, signIn } from '#test/support/clients/kube-user.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { createHookAccount } from '#test/support/worlds/hook-account.ts';
import { OTHER, OWN, type World } from '../integration/policies/world.ts';
import { readApiResources } from './api-resources.ts';
import { EMPTY_NAMESPACE } from './attempt.ts';
import { surveyBindings } from './bind-roles.ts';
import { permissionTables } from './permission-table.ts';
import { foreignObjects } from './targets.ts';
import { type Account, tryPermissions } from './try-permissions.ts';

const NAMESPACES = [OWN, OTHER, RELEASE_NAMESPACE, 'default'];

function placeOf(namespaces: readonly string[]): string {
  if (NAMESPACES.every((namespace) => namespaces.includes(namespace))) return 'every namespace';
  if (namespaces.length === 1 && namespaces[0] === RELEASE_NAMESPACE) return "the release's namespace";
  if (namespaces.length === 1 && namespaces[0] === OWN) return 'its project';
  if (namespaces.length === 1 && namespaces[0] === 'default') return 'the namespace `default`';
  throw new Error(`granted in ${namespaces.join(', ')}: give this set of namespaces a name`);
}

async function createTenants({ cluster, editor }: World, life: AsyncDisposableStack) {
  async function tenant(role: 'view' | 'admin', user: string, resource: string): Promise<KubeUser> {
    await cluster.kubectl([
      'create',
      'rolebinding',
      user,
      `--clusterrole=${role}`,
      `--user=${user}`,
      '-n',
      OWN,
    ]);
    await untilAllowed(cluster, { user, verb: 'get', resource, namespace: OWN });
    return life.use(await signIn(cluster, { commonName: user }));
  }
  return {
    viewer: await tenant('view', 'vera', 'zipjobs.zipjobs.dev'),
    editor,
    admin: await tenant('admin', 'ada', 'ziptokens.zipjobs.dev'),
  };
}

async function prepare({ admin, cluster }: World): Promise<void> {
  const resources = await readApiResources(admin);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: EMPTY_NAMESPACE } };
  const items = [namespace, ...foreignObjects(resources, { namespaces: NAMESPACES, projects: [OWN, OTHER] })];
  await cluster.apply(items);
  // The cluster of the survey ends with it.
  await createHookAccount(cluster, 'uninstall');
  await createHookAccount(cluster, 'tests');
}

/** The tables of docs/security.md, from real requests of every account. */
export async function surveyPermissions(world: World): Promise<string> {
  await using life = new AsyncDisposableStack();
  const { cluster, admin, api, controller, dashboard } = world;
  await prepare(world);
  async function signInAs(account: string, namespace: string): Promise<KubeUser> {
    const { stdout } = await cluster.kubectl(['create', 'token', account, '-n', namespace]);
    return life.use(await signIn(cluster, { token: stdout.trim() }));
  }
  const uninstall = await signInAs('zipjobs-uninstall', RELEASE_NAMESPACE);
  await until('the role of the uninstall hook to take effect', async () => {
    const { status } = await uninstall.request('GET', '/apis/zipjobs.dev/v1alpha1/zipjobs');
    return status === 200;
  });
  const test = await signInAs('zipjobs-test', RELEASE_NAMESPACE);
  await until('the role of the test hook to take effect', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/zipjobs-api';
    return (await test.request('GET', path)).status === 200;
  });
  const { zipper } = await world.createZipper(OWN);
  const tenants = await createTenants(world, life);
  const accounts: readonly Account[] = [
    { name: 'API', user: api },
    { name: 'Dashboard', user: dashboard },
    { name: 'Controller', user: controller },
    { name: 'Zipper', user: zipper },
    { name: 'Uninstall hook', user: uninstall },
    { name: 'Test hook', user: test },
    { name: 'User with `view`', user: tenants.viewer, isTenant: true },
    { name: 'User with `edit`', user: tenants.editor, isTenant: true },
    { name: 'User with `admin`', user: tenants.admin, isTenant: true },
  ];
  const nobody = { name: 'nobody', user: await signInAs('default', OTHER) };
  const permissions = await tryPermissions(admin, { accounts, nobody, namespaces: NAMESPACES });
  const tables = permissionTables(
    accounts.map(({ name }) => name),
    permissions,
    placeOf,
  );
  return `${tables}\n\n${await surveyBindings(admin, accounts)}`;
}
