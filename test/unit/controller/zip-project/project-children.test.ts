import { expect } from 'chai';
import { zipperNetworkOf } from '#controller/wiring/wiring.ts';
import { type ChildKind, childrenOf, includes } from '#controller/zip-project/project-children.ts';
import {
  type Wanted,
  zipperNetworkPolicy,
  zipperRoleBinding,
  zipperServiceAccount,
} from '#controller/zip-project/project-objects.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { aZipProject, NAMESPACE } from '#test/support/builders/objects.ts';

const META = {
  name: 'zipjobs-zipper',
  namespace: NAMESPACE,
  labels: { 'app.kubernetes.io/part-of': 'zipjobs', 'app.kubernetes.io/managed-by': 'zipjobs-controller' },
  ownerReferences: [
    {
      apiVersion: 'zipjobs.dev/v1alpha1',
      kind: 'ZipProject',
      name: 'project',
      uid: 'uid-project',
      controller: true,
    },
  ],
};

function setUp(wanted: (project: ZipProject) => Wanted, live?: KubeObject) {
  const applied: unknown[] = [];
  const kind: ChildKind = {
    kind: 'Thing',
    wanted,
    cache: {
      get: (key) => (key === `${NAMESPACE}/zipjobs-zipper` ? live : undefined),
      run: () => Promise.resolve(),
      synced: () => Promise.resolve(),
    },
    client: {
      apply: (object, { fieldManager }) => {
        applied.push({ ...object, by: fieldManager });
        return Promise.resolve(object);
      },
    },
  };
  const children = childrenOf([kind]);
  async function ensure(project: ZipProject): Promise<void> {
    for (const child of children.of(project)) if (!child.isPresent) await children.create(child);
  }
  return { applied, ensure };
}

describe('project children', () => {
  it('are a ServiceAccount without an automatic token and a RoleBinding to the role of zippers', async () => {
    const account = setUp(zipperServiceAccount);
    await account.ensure(aZipProject());
    expect(account.applied).to.deep.equal([
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: META,
        automountServiceAccountToken: false,
        by: 'zipjobs-controller',
      },
    ]);
    expect(zipperRoleBinding(aZipProject())).to.deep.equal({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: META,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'zipjobs-zipper' },
      subjects: [{ kind: 'ServiceAccount', name: 'zipjobs-zipper', namespace: NAMESPACE }],
    });
  });

  it('are written only if they are missing or changed, regardless of added fields', async () => {
    const wanted = zipperRoleBinding(aZipProject());
    const { labels } = META;
    const live = {
      ...wanted,
      metadata: { ...wanted.metadata, uid: 'u', labels: { ...labels, team: 'storage' } },
    };
    const same = setUp(zipperRoleBinding, live);
    await same.ensure(aZipProject());
    expect(same.applied).to.deep.equal([]);
    for (const changed of [
      undefined,
      { ...live, subjects: [] },
      { ...live, metadata: { ...live.metadata, labels: {} } },
    ]) {
      const { applied, ensure } = setUp(zipperRoleBinding, changed);
      await ensure(aZipProject());
      expect(applied).to.deep.equal([{ ...wanted, by: 'zipjobs-controller' }]);
    }
  });

  it('are compared recursively', () => {
    expect(includes({ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] })).to.equal(true);
    expect(includes({ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }] })).to.equal(false);
    expect(includes({ a: 1 }, { a: { b: 1 } })).to.equal(false);
    expect(includes(undefined, { a: 1 })).to.equal(false);
  });
});

describe('the network policy of a project', () => {
  function policy(change: Parameters<typeof aConfig>[0]) {
    const network = zipperNetworkOf(
      aConfig({ networkPolicies: true, apiServerCidrs: ['10.96.0.1/32'], ...change }),
    );
    return network && JSON.stringify(zipperNetworkPolicy(aZipProject(), network)['spec']);
  }

  it('denies ingress, and allows egress only to DNS, the API server and the configured blocks (P10)', () => {
    const spec = policy({ egressAllowCidrs: ['10.2.0.0/16'], storeAllowCidrs: ['10.96.7.0/24'] });
    expect(JSON.parse(spec ?? '')).to.deep.include({
      podSelector: {
        matchLabels: {
          'app.kubernetes.io/name': 'zipjobs-zipper',
          'app.kubernetes.io/managed-by': 'zipjobs-controller',
        },
      },
      policyTypes: ['Ingress', 'Egress'],
    });
    expect(spec).not.to.contain('"ingress"');
    expect(spec).to.contain('{"cidr":"10.96.0.1/32"}');
    expect(spec).to.contain('{"cidr":"10.2.0.0/16"}').and.contain('{"cidr":"10.96.7.0/24"}');
    expect(spec).to.contain('"cidr":"0.0.0.0/0","except":["0.0.0.0/8","10.0.0.0/8"');
  });

  it('opens DNS on the port of the Service and on that of the DNS pods of OpenShift (X39)', () => {
    expect(policy({})).to.contain(
      '"egress":[{"ports":[{"protocol":"UDP","port":53},{"protocol":"TCP","port":53},{"protocol":"UDP","port":5353},{"protocol":"TCP","port":5353}]}',
    );
  });

  it('has no rule for other destinations when the operator denies all of them (BC9)', () => {
    const all = ['0.0.0.0/0', '::/0'];
    const spec = JSON.parse(policy({ egressDenyCidrs: all }) ?? '') as { readonly egress: readonly object[] };
    expect(spec.egress).to.deep.equal([
      {
        ports: [
          { protocol: 'UDP', port: 53 },
          { protocol: 'TCP', port: 53 },
          { protocol: 'UDP', port: 5353 },
          { protocol: 'TCP', port: 5353 },
        ],
      },
      {
        to: [{ ipBlock: { cidr: '10.96.0.1/32' } }],
        ports: [
          { protocol: 'TCP', port: 443 },
          { protocol: 'TCP', port: 6443 },
        ],
      },
    ]);
    expect(policy({ egressDenyCidrs: all, proxyCidrs: ['10.9.0.0/24'] })).to.contain(
      '{"to":[{"ipBlock":{"cidr":"10.9.0.0/24"}}]}',
    );
    expect(policy({ egressDenyCidrs: ['0.0.0.0/0'] })).not.to.contain('0.0.0.0/0');
  });

  it('opens stores at addresses of the API server on the ports that the operator names (X56)', () => {
    const hosts = '192.168.1.10:9000,minio.example.com:9001,192.168.1.11,192.168.1.10:6443,10.0.0.9:9002';
    function rulesOf(change: Parameters<typeof aConfig>[0]) {
      const spec = JSON.parse(
        policy({
          kubernetesHost: '10.96.0.1',
          egressApiServerAddresses: ['10.96.0.1:443', '192.168.1.10:6443', '192.168.1.11:6443'],
          storeAllowCidrs: ['192.168.1.0/24'],
          zipperEnv: { STORE_ALLOWED_HOSTS: hosts, STORE_STS_HOSTS: 'sts.example.com:6443' },
          ...change,
        }) ?? '',
      ) as { readonly egress: readonly { readonly to?: unknown; readonly ports?: unknown }[] };
      return spec.egress.slice(3);
    }
    function rule(cidr: string, port: number) {
      return { to: [{ ipBlock: { cidr } }], ports: [{ protocol: 'TCP', port }] };
    }
    expect(rulesOf({})).to.deep.equal([
      rule('192.168.1.10/32', 9000),
      rule('192.168.1.10/32', 9001),
      rule('192.168.1.11/32', 9001),
    ]);
    expect(rulesOf({ egressDenyCidrs: ['192.168.1.11/32'] })).to.deep.equal([
      rule('192.168.1.10/32', 9000),
      rule('192.168.1.10/32', 9001),
    ]);
    expect(rulesOf({ storeAllowCidrs: [] })).to.deep.equal([]);
    const ipv6 = {
      egressApiServerAddresses: ['[fd00::1]:6443'],
      storeAllowCidrs: ['fd00::/64'],
      zipperEnv: { STORE_ALLOWED_HOSTS: '[FD00::1]:9000' },
    };
    expect(rulesOf(ipv6)).to.deep.equal([rule('fd00::1/128', 9000)]);
  });

  it('is created only if enabled, and requires the address of the API server', () => {
    expect(policy({ networkPolicies: false })).to.equal(undefined);
    expect(() => policy({ apiServerCidrs: [] })).to.throw('API_SERVER_CIDRS');
    expect(() => policy({ apiServerPorts: [] })).to.throw('API_SERVER_PORTS');
    expect(() => policy({ apiServerPorts: ['https'] })).to.throw('API_SERVER_PORTS');
  });
});
