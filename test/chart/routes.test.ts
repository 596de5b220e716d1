import { expect } from 'chai';
import { readApiConfig } from '#api/config.ts';
import { envOf, find, type KubeObject, refusalOf, render, type Values } from './render.ts';

const PROXIES = { trustedProxies: ['10.0.0.0/8'] };
const GATEWAY = [{ name: 'public', namespace: 'gateways', sectionName: 'https' }];
const ON = { ...PROXIES, 'dashboard.enabled': true };
const ROUTES = {
  ...ON,
  'api.httpRoute': { enabled: true, parentRefs: GATEWAY, hostnames: ['zips.example.com'] },
  'dashboard.httpRoute': { enabled: true, parentRefs: GATEWAY, hostnames: ['zipjobs.example.com'] },
};

function servicePort(objects: readonly KubeObject[], name: string): number {
  return (
    (find(objects, 'Service', name)['spec'] as { ports: readonly { port: number }[] }).ports[0]?.port ?? 0
  );
}

describe('the HTTPRoutes of the chart', function () {
  this.timeout(30 * 60_000);

  it('are off by default, because clusters may lack the kind (X24)', async () => {
    expect((await render({ 'dashboard.enabled': true })).map(({ kind }) => kind)).not.to.include('HTTPRoute');
  });

  it('send the requests of their hosts to the Services (X24)', async () => {
    const objects = await render(ROUTES);
    for (const [component, hostname] of [
      ['api', 'zips.example.com'],
      ['dashboard', 'zipjobs.example.com'],
    ] as const) {
      const name = `zipjobs-${component}`;
      const route = find(objects, 'HTTPRoute', name);
      expect(route.apiVersion).to.equal('gateway.networking.k8s.io/v1');
      expect(route.metadata.labels).to.include({ 'app.kubernetes.io/component': component });
      expect(route['spec']).to.deep.equal({
        parentRefs: GATEWAY,
        hostnames: [hostname],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/' } }],
            backendRefs: [{ name, port: servicePort(objects, name) }],
          },
        ],
      });
    }
  });

  it('contain the path, filters, timeouts and annotations of the values (X24)', async () => {
    const filters = [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { remove: ['server'] } }];
    const timeouts = { request: '30s' };
    const objects = await render({
      ...PROXIES,
      commonLabels: { team: 'storage' },
      'api.service.port': 8080,
      'api.basePath': '/archives',
      'api.httpRoute': {
        enabled: true,
        parentRefs: [{ name: 'public' }],
        filters,
        timeouts,
        annotations: { 'example.com/owner': 'storage' },
      },
    });
    const { metadata, ...route } = find(objects, 'HTTPRoute', 'zipjobs-api');
    expect(metadata.labels).to.include({ team: 'storage' });
    expect(metadata.annotations).to.deep.equal({ 'example.com/owner': 'storage' });
    expect(route['spec']).to.deep.equal({
      parentRefs: [{ name: 'public' }],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/archives' } }],
          filters,
          backendRefs: [{ name: 'zipjobs-api', port: 8080 }],
          timeouts,
        },
      ],
    });
  });

  const refused: Readonly<Record<string, Values>> = {
    'with a misspelt field of a Gateway': {
      ...PROXIES,
      'api.httpRoute': { enabled: true, parentRefs: [{ name: 'public', section: 'https' }] },
    },
    'with a timeout without unit': { ...ROUTES, 'api.httpRoute.timeouts': { request: '30' } },
  };
  for (const [what, values] of Object.entries(refused))
    it(`are refused ${what} (X24)`, async () => {
      expect(await refusalOf(values)).to.contain("values don't meet the specifications of the schema");
    });
});

describe('the addresses of the API and the dashboard', function () {
  this.timeout(30 * 60_000);

  it('have no path that the API would not recognize (X14)', async () => {
    for (const path of ['archives', '/archives(/|$)(.*)', '//archives', '/archives?v=1', '/../archives'])
      expect(await refusalOf({ 'api.basePath': path }), path).to.contain('api.basePath is');
  });

  it('are refused if both claim the same host and path (X14)', async () => {
    const api = { enabled: true, host: 'zips.example.com', className: 'nginx' };
    const dashboard = { ...api };
    const clash = 'have the same host and the path /';
    expect(await refusalOf({ ...ON, 'api.ingress': api, 'dashboard.ingress': dashboard })).to.contain(clash);
    await render({ ...ON, 'api.basePath': '/api', 'api.ingress': api, 'dashboard.ingress': dashboard });
    await render({ ...ON, 'api.ingress': api, 'dashboard.ingress': { ...dashboard, className: 'internal' } });
    const hostnames = ['zips.example.com', 'other.example.com'];
    expect(await refusalOf({ ...ROUTES, 'dashboard.httpRoute.hostnames': hostnames })).to.contain(clash);
    await render({ ...ROUTES, 'dashboard.httpRoute.hostnames': hostnames, 'api.basePath': '/api' });
  });

  async function publicAddresses(values: Values): Promise<readonly (string | undefined)[]> {
    const objects = await render({ ...ON, ...values });
    const [api, dashboard] = [envOf(objects, 'api'), envOf(objects, 'dashboard')];
    return [api.get('PUBLIC_URL'), dashboard.get('DASHBOARD_API_URL'), dashboard.get('DASHBOARD_URL')].map(
      (variable) => variable?.value,
    );
  }

  const API = 'https://zips.example.com';
  const INGRESS = { enabled: true, host: 'zips.example.com' };
  const OIDC = { issuer: 'https://id.example.com', clientId: 'zipjobs' };

  it('are known to the processes from the first host (Q-U21)', async () => {
    const at = { 'api.ingress': INGRESS, 'api.basePath': '/archives' };
    expect(await publicAddresses(at)).to.deep.equal([API, `${API}/archives`, undefined]);
    const hostnames = ['*.example.com', 'zips.example.com', 'other.example.com'];
    const route = { 'api.httpRoute': { enabled: true, parentRefs: GATEWAY, hostnames } };
    expect(await publicAddresses(route)).to.deep.equal([API, API, undefined]);
  });

  it('are the redirect address of OpenID Connect, unless the dashboard allows plain HTTP (Q-U21)', async () => {
    const values = { ...ON, 'dashboard.ingress': INGRESS, 'dashboard.oidc': OIDC };
    expect(await publicAddresses(values)).to.deep.equal([undefined, undefined, API]);
    expect(await publicAddresses({ ...values, 'dashboard.url': 'https://d.example.com' })).to.include(
      'https://d.example.com',
    );
    expect(await refusalOf({ ...values, 'dashboard.allowHttp': true })).to.contain('set dashboard.url too');
  });

  it('do not replace those of the values, and may be empty (Q-U21)', async () => {
    for (const url of ['https://zips.example.com:8443', ''])
      expect(
        await publicAddresses({
          'api.ingress': INGRESS,
          'api.settings': { PUBLIC_URL: url },
          'dashboard.settings': { DASHBOARD_API_URL: url },
        }),
      ).to.deep.equal([url, url, undefined]);
  });

  it('are in the help links of webhooks as in those of the API (Q-A5)', async () => {
    const ingress = { 'api.ingress': INGRESS };
    const help = 'https://help.example.com/codes';
    for (const [values, url] of [
      [{}, '/docs'],
      [{ ...ingress, 'api.basePath': '/archives' }, `${API}/archives/docs`],
      [{ ...ingress, 'api.settings': { PUBLIC_URL: '' } }, '/docs'],
      [{ ...ingress, 'api.settings': { PUBLIC_URL: 'http://[fd00::1]' } }, 'http://[fd00::1]/docs'],
      [{ ...ingress, 'api.settings': { HELP_URL: help } }, help],
    ] as const) {
      const objects = await render({ ...ON, ...values });
      for (const component of ['controller', 'dashboard'] as const)
        expect(envOf(objects, component).get('ERROR_HELP_URL')?.value, component).to.equal(url);
      const env = Object.fromEntries([...envOf(objects, 'api')].map(([name, { value }]) => [name, value]));
      expect(readApiConfig(env).helpUrl).to.equal(url);
    }
  });

  it('pass annotations for the size of request bodies to the Ingress (X14)', async () => {
    const annotations = { 'nginx.ingress.kubernetes.io/proxy-body-size': '32m' };
    const objects = await render({ ...PROXIES, 'api.ingress': { enabled: true, annotations } });
    expect(find(objects, 'Ingress', 'zipjobs-api').metadata.annotations).to.deep.equal(annotations);
  });
});
