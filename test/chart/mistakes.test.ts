/** Mistakes in values, each with what the message must contain: the value, what belongs in it, and where to read. */
import { expect } from 'chai';
import { refusalOf, render, renderNotes, type Values } from './render.ts';

const GATEWAY = [{ name: 'public' }];
const PROXIES: Values = { trustedProxies: ['10.0.0.0/8'] };
const POSTGRES: Values = {
  'history.postgres.host': 'postgres',
  'history.postgres.existingSecret': 'history',
};
const OIDC: Values = {
  'dashboard.enabled': true,
  'dashboard.oidc': { issuer: 'https://id.example.com', clientId: 'zipjobs' },
};

type Mistakes = Readonly<Record<string, readonly [values: Values, ...message: readonly string[]]>>;

/** One value needs another. */
const CONDITIONS: Mistakes = {
  'an Ingress of the API without trusted proxies (N13)': [
    { 'api.ingress.enabled': true },
    'api.ingress.enabled is true: set trustedProxies to the addresses of the pods of your ingress controller',
    'for example [10.0.0.0/8]',
    'docs/install.md#trusted-proxies',
  ],
  'an HTTPRoute of the API without trusted proxies': [
    { 'api.httpRoute': { enabled: true, parentRefs: GATEWAY } },
    'api.httpRoute.enabled is true: set trustedProxies to the addresses of the pods of your Gateway',
  ],
  'an Ingress of the dashboard without trusted proxies (N13)': [
    { 'dashboard.enabled': true, 'dashboard.ingress.enabled': true },
    'dashboard.ingress.enabled is true: set trustedProxies',
  ],
  'an HTTPRoute of the API without a Gateway': [
    { ...PROXIES, 'api.httpRoute.enabled': true },
    'api.httpRoute.enabled is true: set api.httpRoute.parentRefs to your Gateways, for example [{name: public',
    'docs/install.md#addresses',
  ],
  'an HTTPRoute of the dashboard without a Gateway': [
    { ...PROXIES, 'dashboard.enabled': true, 'dashboard.httpRoute.enabled': true },
    'set dashboard.httpRoute.parentRefs',
  ],
  'network policies without the API server': [
    { 'networkPolicies.enabled': true },
    'networkPolicies.enabled is true: set networkPolicies.apiServerCidrs to the addresses of the API server',
    'kubectl get endpointslices kubernetes',
    'docs/install.md#network-policies',
  ],
  'TLS of an Ingress without a host': [
    { ...PROXIES, 'api.ingress': { enabled: true, tlsSecretName: 'tls' } },
    'set api.ingress.host too',
  ],
  'a history without passwords': [
    { 'history.postgres.host': 'postgres' },
    'set history.postgres.existingSecret too',
    'docs/history.md',
  ],
  'network policies that close the history': [
    { ...POSTGRES, networkPolicies: { enabled: true, apiServerCidrs: ['10.96.0.1/32'] } },
    'set networkPolicies.historyEgress',
  ],
  'network policies that close the collector of traces': [
    {
      'tracing.endpoint': 'http://otel:4318',
      networkPolicies: { enabled: true, apiServerCidrs: ['10.96.0.1/32'] },
    },
    'set networkPolicies.tracingEgress',
  ],
  'headers for a collector without an endpoint': [
    { 'tracing.existingSecret': 'tracing' },
    'set tracing.endpoint, or remove it',
    'docs/traces.md',
  ],
  'several replicas of the dashboard without Redis': [
    { 'dashboard.enabled': true, 'dashboard.replicas': 2 },
    'set redis.url',
  ],
  'OpenID Connect without an address of the dashboard': [OIDC, 'set dashboard.url too'],
};

/** The message names the rule instead of a regular expression. */
const FORMS: Mistakes = {
  'an endpoint of traces with credentials': [
    { 'tracing.endpoint': 'https://user:hunter2@otel:4318' },
    'set tracing.existingSecret to a Secret with the key `headers`',
    'docs/traces.md',
  ],
  'an endpoint of traces with the path of OTLP': [
    { 'tracing.endpoint': 'http://otel:4318/v1/traces' },
    'which zipjobs adds: remove it',
  ],
  'an endpoint of traces for gRPC': [{ 'tracing.endpoint': 'http://otel:4317' }, 'which is 4318 by default'],
  'trust in every address (N13)': [
    { trustedProxies: ['0.0.0.0/0'] },
    'then clients could send any address',
    'docs/install.md#trusted-proxies',
  ],
  'trust in every IPv6 address (N13)': [{ trustedProxies: ['::/0'] }, 'then clients could send any address'],
  'a proxy without a prefix length': [{ trustedProxies: ['10.0.0.5'] }, 'a single address as 10.0.0.5/32'],
  'an address instead of a CIDR for sources': [
    { 'egress.allowCidrs': ['10.0.0.1'] },
    'egress.allowCidrs contains "10.0.0.1", which is not a CIDR',
  ],
  'an address instead of a CIDR for stores': [
    { 'store.allowCidrs': ['10.0.0.1'] },
    'store.allowCidrs contains "10.0.0.1", which is not a CIDR',
  ],
  'a NAT64 prefix of another length': [{ 'egress.nat64Prefix': '64:ff9b::/64' }, 'such as 64:ff9b::/96'],
  'a URL as a store': [
    { 'store.allowedHosts': ['https://minio:9000'] },
    'write host or host:port, such as minio.example.com:9000',
    'docs/install.md#outgoing-connections',
  ],
  'a URL as a token service': [
    { 'store.webIdentity.stsHosts': ['https://sts.amazonaws.com'] },
    'store.webIdentity.stsHosts',
    'write host or host:port',
  ],
  'an audience of the API server': [
    { 'store.webIdentity.audiences': ['https://kubernetes.default.svc'] },
    'an audience of the API server',
    'docs/keyless.md',
  ],
  'a host as the URL of the dashboard': [
    { 'dashboard.url': 'zipjobs.example.com' },
    'write it as https://zipjobs.example.com',
  ],
  'a path in the URL of the dashboard': [
    { 'dashboard.url': 'https://example.com/zipjobs' },
    'not a URL without a path',
  ],
  'a link of the dashboard with a placeholder in its host': [
    { 'dashboard.links': [{ title: 'Loki', url: 'https://{namespace}.example.com/' }] },
    'dashboard.links has a URL that zipjobs cannot use, of "Loki"',
    'such as https://grafana.example.com/explore?pod={pod}',
  ],
  'a link of the dashboard with an unknown placeholder': [
    { 'dashboard.links': [{ title: 'Loki', url: 'https://loki.example.com/?q={node}' }] },
    'dashboard.links has a URL with {node}: the placeholders are {namespace}, {name} and {pod}',
  ],
  'a link of the dashboard without a title': [
    { 'dashboard.links': [{ title: ' ', url: 'https://loki.example.com/' }] },
    'dashboard.links has a link whose title is empty or longer than 60 characters',
  ],
  'too many links of the dashboard': [
    { 'dashboard.links': Array(21).fill({ title: 'Loki', url: 'https://loki.example.com/' }) },
    'dashboard.links has 21 links: keep at most 20',
  ],
  'an issuer without https': [
    { ...OIDC, 'dashboard.oidc.issuer': 'id.example.com' },
    'write an https:// URL',
  ],
  'a rewrite as a base path': [{ 'api.basePath': '/archives(/|$)(.*)' }, 'such as /archives'],
  'credentials in the URL of Redis': [{ 'redis.url': 'redis://:hunter2@redis' }, 'set redis.existingSecret'],
  'credentials in the URL of a proxy': [
    { 'proxy.sources.url': 'http://user:hunter2@proxy' },
    'set proxy.sources.credentialSecretRef',
  ],
  'a URL without a proxy': [{ 'proxy.stores.noProxy': ['https://minio'] }, 'proxy.stores.noProxy contains'],
  'a URL as the host of PostgreSQL': [
    { ...POSTGRES, 'history.postgres.host': 'postgres://zip:hunter2@db:5432/zip' },
    'The port belongs in history.postgres.port',
  ],
  'a file as a runbook': [
    { 'monitoring.prometheusRule': { enabled: true, runbookUrl: 'docs/on-call.md' } },
    'write the http:// or https:// URL of docs/on-call.md',
  ],
  'a tag as a digest': [{ 'api.image.digest': 'latest' }, 'set a tag in api.image.tag'],
  'a digest as a tag': [{ 'zipper.image.tag': 'sha256:abc' }, 'A digest belongs in zipper.image.digest'],
  'upper case in the prefix of names': [{ fullnameOverride: 'Zip' }, 'fullnameOverride is "Zip"'],
};

/** Kubernetes or a process would refuse these later, or ignore them. */
const LATE: Mistakes = {
  'a registry with a scheme': [
    { 'image.registry': 'https://r.example.com/x' },
    'without a scheme',
    'such as registry.example.com/zipjobs',
  ],
  'a registry whose path has upper case': [{ 'image.registry': 'r.example.com/X' }, 'a path in lower case'],
  'a prefix length that IPv4 does not have': [{ trustedProxies: ['10.0.0.0/33'] }, 'is not a CIDR'],
  'a minimum of replicas above the maximum': [
    { 'api.autoscaling': { enabled: true, minReplicas: 9 } },
    'set maxReplicas to at least minReplicas',
  ],
  'OpenID Connect of a dashboard that is off': [
    { ...OIDC, 'dashboard.enabled': false },
    'dashboard.oidc.issuer is set, but dashboard.enabled is false',
  ],
  'an Ingress of a dashboard that is off': [
    { 'dashboard.ingress.enabled': true },
    'dashboard.ingress.enabled is true, but dashboard.enabled is false',
  ],
  'a URL as a host of an Ingress': [
    { ...PROXIES, 'api.ingress': { enabled: true, host: 'https://zips.example.com' } },
    'api.ingress.host contains "https://zips.example.com": write a host name',
  ],
  'a port in a host name': [
    {
      ...PROXIES,
      'api.httpRoute': { enabled: true, parentRefs: GATEWAY, hostnames: ['zips.example.com:443'] },
    },
    'api.httpRoute.hostnames contains "zips.example.com:443": write a host name',
  ],
};

async function messageOf(values: Values): Promise<string> {
  const refusal = await refusalOf(values);
  expect(refusal).not.to.contain("values don't meet").and.not.to.contain('hunter2');
  return refusal;
}

describe('mistakes in the values of the chart', function () {
  this.timeout(30 * 60_000);

  for (const [what, [values, ...texts]] of Object.entries(CONDITIONS))
    it(`name the other value that is needed: ${what} (Q-P1)`, async () => {
      const message = await messageOf(values);
      for (const text of texts) expect(message).to.contain(text);
    });

  for (const [what, [values, ...texts]] of Object.entries(FORMS))
    it(`name the rule instead of a regular expression: ${what} (Q-P2)`, async () => {
      const message = await messageOf(values);
      for (const text of texts) expect(message).to.contain(text);
      expect(message).not.to.contain('pattern');
    });

  for (const [what, [values, ...texts]] of Object.entries(LATE))
    it(`are refused before Kubernetes sees them: ${what} (Q-P3)`, async () => {
      const message = await messageOf(values);
      for (const text of texts) expect(message).to.contain(text);
    });

  it('leave upper case in the host of a registry, and a port (Q-P3)', async () => {
    for (const registry of ['R.example.com:5000/x/y-z', 'localhost', '[fd00::1]:5000/x/'])
      await render({ 'image.registry': registry });
  });

  it('are reported in the notes if they only weaken alerts (Q-P3)', async () => {
    const text = 'set monitoring.prometheusRule.runbookUrl';
    const rule = { enabled: true, runbookUrl: 'https://docs.example.com/on-call' };
    expect(await renderNotes({ 'monitoring.prometheusRule.enabled': true })).to.contain(text);
    expect(await renderNotes({ 'monitoring.prometheusRule': rule })).not.to.contain(text);
  });

  it('are reported all at once, before any other template (Q-P12)', async () => {
    const message = await refusalOf({ 'image.registry': '', 'api.ingress.enabled': true });
    expect(message).to.contain('image.registry is not set').and.to.contain('set trustedProxies');
    expect(message).to.contain('templates/checks/first/values.yaml').and.not.to.contain('uninstall');
  });
});
