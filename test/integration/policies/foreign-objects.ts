/**
 * Objects that are not ours. Each policy of the chart gets a copy with the same conditions whose validation always fails, so that a
 * request is refused as soon as one of the policies would evaluate it.
 */
import { expect } from 'chai';
import type { KubeResponse } from '#test/support/clients/kube-user.ts';
import { until } from '#test/support/until.ts';
import { accept, corePath, jobsPath, OWN, tokenSecret, type World } from './world.ts';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${REGISTRATION}/validatingadmissionpolicies`;
const BINDINGS = `${REGISTRATION}/validatingadmissionpolicybindings`;
const FOREIGN = 'foreign';
const COPY = 'copy-of-';

interface Registered {
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const aPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'own' },
  spec: { containers: [{ name: 'main', image: 'main' }], nodeSelector: { 'policy-test': 'nowhere' } },
};
const metadata = { name: 'own' };
const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'erin' }];
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

type Request = readonly [method: string, path: string, body?: unknown];
const rbacPath = `/apis/rbac.authorization.k8s.io/v1/namespaces/${FOREIGN}/rolebindings`;
const leasesPath = `/apis/coordination.k8s.io/v1/namespaces/${FOREIGN}/leases`;
const networkPath = `/apis/networking.k8s.io/v1/namespaces/${FOREIGN}/networkpolicies`;

function inForeign(plural: string): string {
  return corePath(FOREIGN, plural);
}

const labelled = { metadata: { labels: { note: 'x' } } };

const CREATES: readonly Request[] = [
  ['POST', inForeign('pods'), aPod],
  ['POST', inForeign('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata }],
  ['POST', inForeign('secrets'), tokenSecret('own-token', 'default')],
  ['POST', inForeign('serviceaccounts'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata }],
  [
    'POST',
    inForeign('events'),
    { apiVersion: 'v1', kind: 'Event', metadata, involvedObject: { namespace: FOREIGN }, type: 'Normal' },
  ],
  [
    'POST',
    jobsPath(FOREIGN),
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: { suspend: true, template: { spec: { ...aPod.spec, restartPolicy: 'Never' } } },
    },
  ],
  [
    'POST',
    rbacPath,
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, subjects, roleRef },
  ],
  ['POST', leasesPath, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata }],
  [
    'POST',
    networkPath,
    { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec: { podSelector: {} } },
  ],
];

const CHANGES: readonly Request[] = [
  ['PATCH', `/api/v1/namespaces/${FOREIGN}`, labelled],
  ['PATCH', `${inForeign('pods')}/own`, labelled],
  ['PATCH', `${inForeign('pods')}/own/status`, { status: { message: 'x' } }],
  [
    'PATCH',
    `${inForeign('pods')}/own/ephemeralcontainers`,
    { spec: { ephemeralContainers: [{ name: 'debug', image: 'debug' }] } },
  ],
  ['PATCH', `${inForeign('secrets')}/own`, labelled],
  ['PATCH', `${inForeign('serviceaccounts')}/own`, labelled],
  ['PATCH', `${jobsPath(FOREIGN)}/own`, labelled],
  ['PATCH', `${rbacPath}/own`, labelled],
  [
    'POST',
    `${inForeign('serviceaccounts')}/own/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  ],
  ['DELETE', `${inForeign('secrets')}/own`],
  ['DELETE', `${jobsPath(FOREIGN)}/own?propagationPolicy=Background`],
  ['DELETE', `${inForeign('pods')}/own?gracePeriodSeconds=0`],
];

function copyOf({ metadata: { name }, spec }: Registered, kind: string, change: object) {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: COPY + name },
    spec: { ...spec, ...change },
  };
}

export function describeForeignObjects(theWorld: () => World): void {
  let world: World;
  const copies: string[] = [];

  async function listOf(path: string): Promise<readonly Registered[]> {
    const { body } = accept(await world.admin.request('GET', path));
    const ours = (body['items'] as readonly Registered[]).filter(({ metadata }) =>
      metadata.name.startsWith('zipjobs-'),
    );
    // The last one to take effect is the one that the test waits for.
    function isExec({ metadata }: Registered): boolean {
      return metadata.name.endsWith('-exec');
    }
    return [...ours.filter((one) => !isExec(one)), ...ours.filter(isExec)];
  }
  async function create(path: string, body: { metadata: { name: string } }): Promise<void> {
    accept(await world.admin.request('POST', path, { body }));
    copies.push(`${path}/${body.metadata.name}`);
  }
  function refusedByCopy({ message }: KubeResponse): boolean {
    return message.includes(COPY);
  }
  function exec(namespace: string, way = 'exec?command=id'): Promise<KubeResponse> {
    return world.admin.request('POST', `${corePath(namespace, 'pods')}/own/${way}`);
  }

  before(async () => {
    world = theWorld();
    await world.cluster.kubectl(['create', 'namespace', FOREIGN]);
    await until('the default service account', async () =>
      accept(await world.admin.request('GET', `${inForeign('serviceaccounts')}/default`)),
    );
    await world.createZipper(OWN);
    for (const policy of await listOf(POLICIES))
      await create(
        POLICIES,
        copyOf(policy, 'ValidatingAdmissionPolicy', { validations: [{ expression: 'false' }] }),
      );
    for (const binding of await listOf(BINDINGS))
      await create(
        BINDINGS,
        copyOf(binding, 'ValidatingAdmissionPolicyBinding', {
          policyName: COPY + String(binding.spec['policyName']),
        }),
      );
  });
  after(async () => {
    for (const path of copies.splice(0)) accept(await world.admin.request('DELETE', path));
    await until('the copies to be out of force', async () => !refusedByCopy(await exec(OWN)));
    await world.cluster.kubectl(['delete', 'namespace', FOREIGN, '--wait=false']);
  });

  it('are not evaluated by any policy, commands in foreign pods included (X13)', async () => {
    // A namespace with a zipper is ours, also its other pods.
    await until('the copies to be in force', async () => refusedByCopy(await exec(OWN)));
    const refused: string[] = [];
    async function send([method, path, body]: Request): Promise<void> {
      const response = await world.admin.request(method, path, body === undefined ? {} : { body });
      if (response.status >= 300) refused.push(`${method} ${path}: ${response.message}`);
    }
    for (const request of CREATES) await send(request);
    for (const way of ['exec?command=id', 'attach?stdout=true']) {
      const response = await exec(FOREIGN, way);
      if (refusedByCopy(response)) refused.push(`${way}: ${response.message}`);
    }
    for (const request of CHANGES) await send(request);
    expect(refused).to.deep.equal([]);
  });
}
