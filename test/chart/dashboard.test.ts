import { expect } from 'chai';
import { envOf, find, podOf, render } from './render.ts';

const ON = { 'dashboard.enabled': true };
const OIDC = {
  ...ON,
  'dashboard.url': 'https://zips.example.com',
  'dashboard.oidc.issuer': 'https://id.example.com',
  'dashboard.oidc.clientId': 'zipjobs',
};

const settingsOf = async (values: Record<string, unknown>): Promise<Record<string, unknown>> => {
  const own = [...envOf(await render(values), 'api')].filter(([name]) => name.startsWith('DASHBOARD_'));
  return Object.fromEntries(own.map(([name, { value }]) => [name, value]));
};

describe('the dashboard of the chart', function () {
  this.timeout(30 * 60_000);

  it('is off by default', async () => {
    const objects = await render({ 'dashboard.ingress.enabled': true });
    expect(await settingsOf({})).to.deep.equal({});
    expect(JSON.stringify(find(objects, 'Service', 'zipjobs-api'))).to.not.contain('dashboard');
    expect(objects.filter(({ kind }) => kind === 'Ingress')).to.deep.equal([]);
  });

  it('is served on its own port', async () => {
    const objects = await render({
      ...ON,
      'dashboard.ingress.enabled': true,
      'dashboard.ingress.host': 'zips.example.com',
    });
    expect(await settingsOf(ON)).to.deep.equal({
      DASHBOARD_ENABLED: 'true',
      DASHBOARD_PORT: '8081',
      DASHBOARD_ALLOW_HTTP: 'false',
    });
    const pod = podOf(find(objects, 'Deployment', 'zipjobs-api'));
    expect(pod.containers[0]?.ports).to.deep.include({ name: 'dashboard', containerPort: 8081 });
    expect(find(objects, 'Service', 'zipjobs-api')['spec']).to.have.nested.property(
      'ports[1].targetPort',
      'dashboard',
    );
    const rule = 'rules[0].http.paths[0].backend.service';
    expect(find(objects, 'Ingress', 'zipjobs-dashboard')['spec']).to.have.nested.property(
      `${rule}.port.name`,
      'dashboard',
    );
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
    const pod = podOf(find(await render(values), 'Deployment', 'zipjobs-api'));
    expect(pod.volumes?.map(({ name }) => name)).to.deep.equal(['oidc-client', 'oidc-ca']);
    expect(pod.containers[0]?.['volumeMounts']).to.deep.include({
      name: 'oidc-client',
      mountPath: '/etc/zipjobs/oidc-client',
      readOnly: true,
    });
  });

  it('names the missing settings of OpenID Connect', async () => {
    for (const name of ['dashboard.url', 'dashboard.oidc.clientId']) {
      const error = await render({ ...OIDC, [name]: '' }).catch((thrown: unknown) => thrown);
      expect(String(error)).to.contain(name);
    }
  });

  it('accepts connections only from the peers that the network policy names', async () => {
    const from = [{ namespaceSelector: { matchLabels: { team: 'ops' } } }];
    const objects = await render({
      ...ON,
      'networkPolicies.enabled': true,
      'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
      'networkPolicies.dashboardFrom': from,
    });
    expect(find(objects, 'NetworkPolicy', 'zipjobs-api')['spec'])
      .to.have.property('ingress')
      .that.deep.includes({ ports: [{ protocol: 'TCP', port: 'dashboard' }], from });
  });
});
