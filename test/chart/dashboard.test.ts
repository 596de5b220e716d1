import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readExternalLinks } from '#dashboard/ui/external-links.ts';
import { REFUSED_AUDIENCE } from '#runtime/refused-requests/refused-request.ts';
import { envOf, find, podOf, refusalOf, render } from './render.ts';

const ON = { 'dashboard.enabled': true };
const OIDC = {
  ...ON,
  'dashboard.url': 'https://zips.example.com',
  'dashboard.oidc.issuer': 'https://id.example.com',
  'dashboard.oidc.clientId': 'zipjobs',
};

async function settingsOf(values: Record<string, unknown>): Promise<Record<string, unknown>> {
  const own = [...envOf(await render(values), 'dashboard')].filter(([name]) => name.startsWith('DASHBOARD_'));
  return Object.fromEntries(own.map(([name, { value }]) => [name, value]));
}

describe('the dashboard of the chart', function () {
  this.timeout(30 * 60_000);

  it('is off by default', async () => {
    const objects = await render({
      'networkPolicies.enabled': true,
      'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
    });
    expect(objects.filter(({ metadata }) => metadata.name === 'zipjobs-dashboard')).to.deep.equal([]);
  });

  it('is a Deployment with its own Service, Ingress and service account', async () => {
    const objects = await render({
      ...ON,
      trustedProxies: ['10.0.0.0/8'],
      'dashboard.ingress.enabled': true,
      'dashboard.ingress.host': 'zips.example.com',
    });
    expect(await settingsOf(ON)).to.deep.equal({
      DASHBOARD_ALLOW_HTTP: 'false',
      DASHBOARD_API_ADMIN_URL: 'http://zipjobs-api-admin.zipjobs-system.svc:9090',
      DASHBOARD_API_TOKEN_FILE: '/etc/zipjobs/api-token/token',
    });
    const pod = podOf(find(objects, 'Deployment', 'zipjobs-dashboard'));
    expect(pod['serviceAccountName']).to.equal('zipjobs-dashboard');
    expect(pod.containers[0]?.image).to.match(/\/zipjobs-dashboard:/);
    expect(pod.containers[0]?.ports).to.deep.include({ name: 'http', containerPort: 8080 });
    const service = find(objects, 'Service', 'zipjobs-dashboard')['spec'];
    expect(service).to.have.nested.property('ports[0].port', 80);
    expect(service)
      .to.have.property('selector')
      .that.includes({ 'app.kubernetes.io/component': 'dashboard' });
    const backend = 'rules[0].http.paths[0].backend.service';
    expect(find(objects, 'Ingress', 'zipjobs-dashboard')['spec'])
      .to.have.nested.property(backend)
      .that.deep.equals({ name: 'zipjobs-dashboard', port: { name: 'http' } });
  });

  it('passes its links to other systems to the process, which accepts those of the docs (Q-O10)', async () => {
    const [, text = ''] =
      /```yaml\n( *dashboard:\n *links:.*?)```/s.exec(await readFile('docs/dashboard.md', 'utf8')) ?? [];
    const { links } = (parse(text) as { dashboard: { links: readonly { title: string; url: string }[] } })
      .dashboard;
    expect(links).to.have.length.at.least(3);
    const { DASHBOARD_LINKS_JSON: json } = await settingsOf({ ...ON, 'dashboard.links': links });
    const read = readExternalLinks({ dashboardLinksJson: String(json) });
    expect(read.map(({ title, url: given }) => ({ title, url: given }))).to.deep.equal(links);
  });

  it('limits new jobs as the API does, unless its own settings have another limit', async () => {
    const env = envOf(
      await render({
        ...ON,
        'api.settings.MAX_FILES': 500,
        'api.settings.MAX_URL_LENGTH': 200,
        'dashboard.settings.MAX_FILES': 50,
      }),
      'dashboard',
    );
    expect(env.get('MAX_URL_LENGTH')?.value).to.equal('200');
    expect(env.get('MAX_FILES')?.value).to.equal('50');
  });

  it('changes nothing in the API but who may read its refused requests', async () => {
    const [on, off] = [await render(OIDC), await render({})];
    for (const kind of ['Service', 'ServiceAccount', 'ClusterRoleBinding'])
      expect(find(on, kind, 'zipjobs-api'), kind).to.deep.equal(find(off, kind, 'zipjobs-api'));
    const env = Object.fromEntries(envOf(on, 'api'));
    const { REFUSED_REQUESTS_READER: reader, ...others } = env;
    expect(others).to.deep.equal(Object.fromEntries(envOf(off, 'api')));
    expect(reader?.value).to.equal('system:serviceaccount:zipjobs-system:zipjobs-dashboard');
    expect(off.filter(({ metadata }) => metadata.name === 'zipjobs-api-admin')).to.deep.equal([]);
    expect(JSON.stringify(find(off, 'ClusterRole', 'zipjobs-api'))).not.to.include('tokenreviews');
  });

  it('reads refused requests of every API pod with a token that only the API accepts', async () => {
    const objects = await render({ ...ON, 'api.tls.secretName': 'api-tls' });
    expect(find(objects, 'Service', 'zipjobs-api-admin')['spec']).to.deep.include({
      clusterIP: 'None',
      ports: [{ name: 'admin', port: 9090, targetPort: 'admin', appProtocol: 'https' }],
    });
    expect(envOf(objects, 'dashboard').get('DASHBOARD_API_ADMIN_URL')?.value).to.match(/^https:/);
    const { volumes } = podOf(find(objects, 'Deployment', 'zipjobs-dashboard'));
    expect(volumes).to.deep.equal([
      {
        name: 'api-token',
        projected: { sources: [{ serviceAccountToken: { audience: REFUSED_AUDIENCE, path: 'token' } }] },
      },
    ]);
  });

  it('signs in by OpenID Connect with a secret in a file', async () => {
    const values = { ...OIDC, 'dashboard.oidc.clientSecret': 'oidc', 'dashboard.oidc.caSecret': 'oidc-ca' };
    expect(await settingsOf(values)).to.include({
      DASHBOARD_URL: 'https://zips.example.com',
      DASHBOARD_OIDC_ISSUER: 'https://id.example.com',
      DASHBOARD_OIDC_CLIENT_ID: 'zipjobs',
      DASHBOARD_OIDC_CLIENT_SECRET_FILE: '/etc/zipjobs/oidc-client/client-secret',
      DASHBOARD_OIDC_SCOPES: 'openid,profile,email,groups',
      DASHBOARD_OIDC_CA_FILE: '/etc/zipjobs/oidc-ca/ca.crt',
    });
    const pod = podOf(find(await render(values), 'Deployment', 'zipjobs-dashboard'));
    expect(pod.volumes?.map(({ name }) => name)).to.deep.equal(['api-token', 'oidc-client', 'oidc-ca']);
    expect(pod.containers[0]?.['volumeMounts']).to.deep.include({
      name: 'oidc-client',
      mountPath: '/etc/zipjobs/oidc-client',
      readOnly: true,
    });
  });

  it('names the missing settings of OpenID Connect', async () => {
    for (const name of ['dashboard.url', 'dashboard.oidc.clientId'])
      expect(await refusalOf({ ...OIDC, [name]: '' })).to.contain(name);
  });
});
