import { expect } from 'chai';
import { readControllerConfig } from '#controller/config/config.ts';
import { zipperLabels } from '#controller/zip-job/manifest/job-manifest.ts';
import { LABELS, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { CLOSED_CIDRS } from '#runtime/egress/closed-ranges.ts';
import { envOf, find, type KubeObject, plainEnv, refusalOf, render, type Values } from './render.ts';

const ENABLED = { 'networkPolicies.enabled': true, 'networkPolicies.apiServerCidrs': ['10.96.0.1/32'] };

function podsOf(component: string) {
  return {
    podSelector: {
      matchLabels: {
        'app.kubernetes.io/name': 'zipjobs',
        'app.kubernetes.io/instance': 'zipjobs',
        'app.kubernetes.io/component': component,
      },
    },
  };
}
/** The pod of `helm test`. */
const TEST_POD = podsOf('test');
/** The ingress rule of the controller that admits it. */
const TEST_OF_CONTROLLER = { from: [TEST_POD], ports: [{ protocol: 'TCP', port: 'admin' }] };

interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Spec {
  readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly policyTypes: readonly string[];
  readonly ingress: readonly { readonly from?: readonly unknown[]; readonly ports: readonly unknown[] }[];
  readonly egress: readonly { readonly to?: readonly Peer[]; readonly ports?: readonly unknown[] }[];
}

function specOf(objects: readonly KubeObject[], component: string): Spec {
  return find(objects, 'NetworkPolicy', `zipjobs-${component}`)['spec'] as unknown as Spec;
}

const DNS = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
    { protocol: 'UDP', port: 5353 },
    { protocol: 'TCP', port: 5353 },
  ],
};
const API_SERVER = {
  to: [{ ipBlock: { cidr: '10.96.0.1/32' } }],
  ports: [
    { protocol: 'TCP', port: 443 },
    { protocol: 'TCP', port: 6443 },
  ],
};

/** The pods that write archives. */
const zipperSelector = {
  'io.cilium.k8s.policy.serviceaccount': ZIPPER_SERVICE_ACCOUNT,
  [LABELS.name]: zipperLabels('any', 'archive')[LABELS.name],
  [LABELS.component]: zipperLabels('any', 'archive')[LABELS.component],
};

describe('the network policies of the chart', function () {
  this.timeout(30 * 60_000);

  it('do not exist by default, and the controller may not create any', async () => {
    const objects = await render();
    expect(objects.filter(({ kind }) => kind === 'NetworkPolicy')).to.deep.equal([]);
    expect(JSON.stringify(find(objects, 'ClusterRole', 'zipjobs-controller'))).not.to.contain(
      'networkpolicies',
    );
    expect(envOf(objects, 'controller').get('NETWORK_POLICIES')?.value).to.equal('false');
  });

  it('open DNS on the port of the Service and on that of the DNS pods of OpenShift (X39)', async () => {
    const history = { host: 'postgres.example.com', existingSecret: 'zipjobs-history' };
    const objects = await render({
      ...ENABLED,
      'dashboard.enabled': true,
      'history.postgres': history,
      'networkPolicies.historyEgress': [{ ports: [{ protocol: 'TCP', port: 5432 }] }],
    });
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies).to.have.length(5);
    for (const { metadata, spec } of policies)
      expect((spec as Spec).egress, metadata.name).to.deep.include(DNS);
  });

  it('allow connections to the API on its port, and from it only to DNS and the API server (P10)', async () => {
    const spec = specOf(await render(ENABLED), 'api');
    expect(spec.podSelector.matchLabels).to.include({ 'app.kubernetes.io/component': 'api' });
    expect(spec.policyTypes).to.deep.equal(['Ingress', 'Egress']);
    expect(spec.ingress).to.deep.equal([{ ports: [{ protocol: 'TCP', port: 'http' }] }]);
    expect(spec.egress).to.deep.equal([DNS, API_SERVER]);
    const withDashboard = specOf(await render({ ...ENABLED, 'dashboard.enabled': true }), 'api');
    expect(withDashboard.ingress).to.deep.equal([
      { ports: [{ protocol: 'TCP', port: 'http' }] },
      { from: [podsOf('dashboard')], ports: [{ protocol: 'TCP', port: 'admin' }] },
    ]);
  });

  it('allow connections to the port of the dashboard, and from it DNS, the API server, the API and what the values add (P10)', async () => {
    const on = { ...ENABLED, 'dashboard.enabled': true };
    expect((await render(ENABLED)).map(({ metadata }) => metadata.name)).to.not.include('zipjobs-dashboard');
    const spec = specOf(await render(on), 'dashboard');
    expect(spec.podSelector.matchLabels).to.include({ 'app.kubernetes.io/component': 'dashboard' });
    expect(spec.policyTypes).to.deep.equal(['Ingress', 'Egress']);
    expect(spec.ingress).to.deep.equal([{ ports: [{ protocol: 'TCP', port: 'http' }] }]);
    const api = { to: [podsOf('api')], ports: [{ protocol: 'TCP', port: 9090 }] };
    expect(spec.egress).to.deep.equal([DNS, API_SERVER, api]);
    const from = [{ namespaceSelector: { matchLabels: { team: 'ops' } } }];
    const redis = { ports: [{ protocol: 'TCP', port: 6379 }] };
    const opened = specOf(
      await render({
        ...on,
        'networkPolicies.dashboardFrom': from,
        'networkPolicies.dashboardEgress': [redis],
        'networkPolicies.metricsFrom': [{ namespaceSelector: {} }],
      }),
      'dashboard',
    );
    expect(opened.ingress).to.deep.equal([
      { ports: [{ protocol: 'TCP', port: 'http' }], from: [...from, TEST_POD] },
      { ports: [{ protocol: 'TCP', port: 'admin' }], from: [{ namespaceSelector: {} }] },
    ]);
    expect(opened.egress).to.deep.equal([DNS, API_SERVER, api, redis]);
  });

  it('allow only helm test to reach the controller, and the controller to reach webhooks but not stores (P10, N4)', async () => {
    const open = { 'egress.allowCidrs': ['10.2.0.0/16'], 'store.allowCidrs': ['10.96.7.0/24'] };
    const spec = specOf(await render({ ...ENABLED, ...open }), 'controller');
    expect(spec.policyTypes).to.deep.equal(['Ingress', 'Egress']);
    expect(spec.ingress).to.deep.equal([TEST_OF_CONTROLLER]);
    const withoutTest = specOf(await render({ ...ENABLED, 'test.enabled': false }), 'controller');
    expect(withoutTest.ingress).to.deep.equal([]);
    expect(spec.egress.slice(0, 2)).to.deep.equal([DNS, API_SERVER]);
    const blocks = spec.egress[2]?.to?.map(({ ipBlock }) => ipBlock) ?? [];
    expect(blocks.map((block) => block?.cidr)).to.deep.equal(['0.0.0.0/0', '::/0', '10.2.0.0/16']);
    const excepted = blocks.flatMap((block) => block?.except ?? []);
    expect(excepted).to.deep.equal([...CLOSED_CIDRS]);
  });

  it('allow helm test to reach the API server and the components on their ports, and nothing else (X29)', async () => {
    function to(component: string, port: number) {
      return {
        to: [
          {
            podSelector: {
              matchLabels: {
                'app.kubernetes.io/name': 'zipjobs',
                'app.kubernetes.io/instance': 'zipjobs',
                'app.kubernetes.io/component': component,
              },
            },
          },
        ],
        ports: [{ protocol: 'TCP', port }],
      };
    }
    const objects = await render({ ...ENABLED, 'dashboard.enabled': true });
    const spec = specOf(objects, 'test');
    expect(spec.podSelector).to.deep.equal(TEST_POD.podSelector);
    expect(spec.policyTypes).to.deep.equal(['Ingress', 'Egress']);
    expect(spec.ingress).to.deep.equal([]);
    const withoutDashboard = [DNS, API_SERVER, to('api', 8080), to('controller', 9090)];
    expect(spec.egress).to.deep.equal([...withoutDashboard, to('dashboard', 8080)]);
    expect(specOf(await render(ENABLED), 'test').egress).to.deep.equal(withoutDashboard);
    expect(find(objects, 'Pod', 'zipjobs-test').metadata.labels).to.include(TEST_POD.podSelector.matchLabels);
  });

  it('deny what the operator denies, and open metrics and further destinations on request', async () => {
    const objects = await render({
      ...ENABLED,
      'egress.denyCidrs': ['52.0.0.0/8', '2a00::/16'],
      'egress.clusterCidrs': ['34.118.224.0/20'],
      'networkPolicies.apiFrom': [{ podSelector: { matchLabels: { app: 'gateway' } } }],
      'networkPolicies.metricsFrom': [{ namespaceSelector: {} }],
      'networkPolicies.apiEgress': [{ ports: [{ protocol: 'TCP', port: 6379 }] }],
    });
    const [world, world6] = specOf(objects, 'controller').egress[2]?.to ?? [];
    expect(world?.ipBlock?.except).to.include('34.118.224.0/20');
    expect(world?.ipBlock?.except).to.include('52.0.0.0/8').and.not.include('2a00::/16');
    expect(world6?.ipBlock?.except).to.include('2a00::/16');
    const metrics = { from: [{ namespaceSelector: {} }], ports: [{ protocol: 'TCP', port: 'admin' }] };
    expect(specOf(objects, 'controller').ingress).to.deep.equal([metrics, TEST_OF_CONTROLLER]);
    const api = specOf(objects, 'api');
    expect(api.ingress[0]?.from).to.deep.equal([
      { podSelector: { matchLabels: { app: 'gateway' } } },
      TEST_POD,
    ]);
    expect(api.ingress[1]).to.deep.equal(metrics);
    expect(api.egress[2]).to.deep.equal({ ports: [{ protocol: 'TCP', port: 6379 }] });
  });

  it('open no address of a family that the operator denies completely (BC9)', async () => {
    async function rulesWith(values: Values): Promise<Spec['egress']> {
      return specOf(await render({ ...ENABLED, ...values }), 'controller').egress.slice(2);
    }
    const [world, ...others] = await rulesWith({ 'egress.denyCidrs': ['0.0.0.0/0'] });
    expect(others).to.deep.equal([]);
    expect(world?.to?.map(({ ipBlock }) => ipBlock?.cidr)).to.deep.equal(['::/0']);
    const all = { 'egress.denyCidrs': ['10.0.0.0/0', '::/0', '52.0.0.0/8'] };
    expect(await rulesWith(all)).to.deep.equal([]);
    expect(await rulesWith({ ...all, 'networkPolicies.proxyCidrs': ['10.9.0.0/24'] })).to.deep.equal([
      { to: [{ ipBlock: { cidr: '10.9.0.0/24' } }] },
    ]);
  });

  const NO_CIDRS = `999.1.1.1/24 10.0.0.0/33 10.0.0/8 010.0.0.0/8 fd00::/129 fd00/8 fd00:1/64 :::::/64 1:2:3/48 64:ff9b:::/96
    1::2::3/64 12345::/16 1:2:3:4:5:6:7:8:9/64 1:2:3:4:5:6:7::8/64 ::ffff:010.0.0.0/104`;
  for (const cidr of NO_CIDRS.split(/\s+/))
    it(`refuse ${cidr}, which is no CIDR (BC9)`, async () => {
      expect(await refusalOf({ 'egress.denyCidrs': [cidr] })).to.contain('egress.denyCidrs contains');
      expect(await refusalOf({ trustedProxies: [cidr] })).to.contain('trustedProxies contains');
      expect(await refusalOf({ 'egress.nat64Prefix': cidr })).to.contain('egress.nat64Prefix is');
    });

  it('accept every form of an IPv6 range (BC9)', async () => {
    const ranges =
      `fd00::/8 ::1/128 1:2:3:4:5:6:7:8/128 1:2:3:4:5:6:7::/112 a:b:c:d:e:f::0/112 64:ff9b::192.0.2.0/120 1::8/64
      1:2:3:4:5:6:192.0.2.1/128 ::192.0.2.0/120 FD00::A/64`.split(/\s+/);
    const objects = await render({ ...ENABLED, 'egress.denyCidrs': ranges, trustedProxies: ranges });
    const blocks = specOf(objects, 'controller').egress[2]?.to ?? [];
    expect(blocks.find(({ ipBlock }) => ipBlock?.cidr === '::/0')?.ipBlock?.except).to.include.members(
      ranges,
    );
  });

  it('open the API server to pods of Cilium by its entity, and deny nothing (X11)', async () => {
    function isOfCilium({ apiVersion }: KubeObject): boolean {
      return apiVersion === 'cilium.io/v2';
    }
    expect((await render(ENABLED)).filter(isOfCilium)).to.deep.equal([]);
    const cilium = { 'networkPolicies.cilium.enabled': true };
    expect((await render(cilium)).filter(isOfCilium)).to.deep.equal([]);
    const policies = (await render({ ...ENABLED, ...cilium })).filter(isOfCilium);
    const ports = [443, 6443].map((port) => ({ port: String(port), protocol: 'TCP' }));
    const common = {
      enableDefaultDeny: { ingress: false, egress: false },
      egress: [{ toEntities: ['kube-apiserver'], toPorts: [{ ports }] }],
    };
    expect(
      policies.map(({ kind, metadata, spec }) => ({ kind, in: metadata.namespace, spec })),
    ).to.deep.equal([
      {
        kind: 'CiliumClusterwideNetworkPolicy',
        in: undefined,
        spec: { endpointSelector: { matchLabels: zipperSelector }, ...common },
      },
      {
        kind: 'CiliumNetworkPolicy',
        in: 'zipjobs-system',
        spec: {
          endpointSelector: {
            matchLabels: { 'app.kubernetes.io/name': 'zipjobs', 'app.kubernetes.io/instance': 'zipjobs' },
            matchExpressions: [
              {
                key: 'app.kubernetes.io/component',
                operator: 'In',
                values: ['api', 'controller', 'dashboard'],
              },
            ],
          },
          ...common,
        },
      },
    ]);
  });

  it('open the ports of stores on nodes of the API server to all zippers of Cilium (X56)', async () => {
    const objects = await render({
      ...ENABLED,
      'networkPolicies.cilium.enabled': true,
      'store.allowedHosts': ['10.0.0.5:9000', 's3.example.com', '[fd00::1]:9001', 'minio.example:9000'],
      'store.webIdentity.stsHosts': ['sts.example.com:443'],
    });
    const stores = find(objects, 'CiliumClusterwideNetworkPolicy', 'zipjobs-zipper-stores')['spec'];
    const { [LABELS.component]: _component, ...anyZipper } = zipperSelector;
    expect(stores).to.deep.equal({
      endpointSelector: { matchLabels: anyZipper },
      enableDefaultDeny: { ingress: false, egress: false },
      egress: [
        {
          toEntities: ['kube-apiserver'],
          toPorts: [{ ports: ['9000', '9001', '443'].map((port) => ({ port, protocol: 'TCP' })) }],
        },
      ],
    });
  });

  it('have one name, which the controller knows and which only it may write', async () => {
    const objects = await render(ENABLED);
    const rules = find(objects, 'ClusterRole', 'zipjobs-controller')['rules'] as readonly {
      readonly resources: readonly string[];
    }[];
    expect(rules.filter(({ resources }) => resources.includes('networkpolicies'))).to.deep.equal([
      {
        apiGroups: ['networking.k8s.io'],
        resources: ['networkpolicies'],
        resourceNames: ['zipjobs-zipper'],
        verbs: ['list', 'watch', 'create', 'patch', 'delete'],
      },
    ]);
    const config = readControllerConfig(plainEnv(envOf(objects, 'controller')));
    expect(config).to.deep.include({
      networkPolicies: true,
      apiServerCidrs: ['10.96.0.1/32'],
      apiServerPorts: ['443', '6443'],
    });
  });
});
