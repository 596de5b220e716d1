import { expect } from 'chai';
import { readApiConfig } from '#api/config.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';
import { createTestIngress, type TestIngress } from './ingress.ts';
import { envOf, plainEnv, render, renderNotes, type Values } from './render.ts';

const PROXIES = { trustedProxies: ['127.0.0.0/8'] };
const HOST = 'zips.example.com';
const INGRESS = { 'api.ingress': { enabled: true, host: HOST } };
const GATEWAY = [{ name: 'public', namespace: 'gateways' }];

/** Each warning of the notes, with values that cause it and values that prevent it. */
const WARNINGS: Readonly<Record<string, { readonly causes: Values; readonly prevents: Values }>> = {
  'set api.ingress.tlsSecretName': {
    causes: { ...PROXIES, 'api.ingress': { enabled: true, host: HOST } },
    prevents: { ...PROXIES, 'api.ingress': { enabled: true, host: HOST, tlsSecretName: 'zips-tls' } },
  },
  'set dashboard.ingress.tlsSecretName': {
    causes: { ...PROXIES, 'dashboard.enabled': true, 'dashboard.ingress.enabled': true },
    prevents: { ...PROXIES, 'dashboard.enabled': true },
  },
  'Set api.ingress or api.httpRoute': {
    causes: { 'api.service.type': 'LoadBalancer' },
    prevents: { ...PROXIES, 'api.service.type': 'NodePort', 'api.ingress.enabled': true },
  },
  'set trustedProxies': { causes: {}, prevents: PROXIES },
  'Set api.replicas to 2.': {
    causes: {},
    prevents: { 'api.autoscaling.enabled': true },
  },
  'Set dashboard.replicas to 2': { causes: { 'dashboard.enabled': true }, prevents: {} },
  'Set egress.clusterCidrs': { causes: {}, prevents: { 'egress.clusterCidrs': ['34.118.224.0/20'] } },
};

describe('the notes of the chart', function () {
  this.timeout(30 * 60_000);

  for (const [warning, { causes, prevents }] of Object.entries(WARNINGS))
    it(`warn when it is needed: ${warning}`, async () => {
      expect(await renderNotes(causes)).to.contain(warning);
      expect(await renderNotes(prevents)).not.to.contain(warning);
    });

  it('ask for the ranges of a cluster that does not report them (N11)', async () => {
    expect(await renderNotes()).to.contain('this cluster does not report its service ranges');
  });

  it('have no warnings for a complete installation', async () => {
    const notes = await renderNotes({
      ...PROXIES,
      'api.replicas': 2,
      'redis.url': 'redis://redis:6379',
      'api.ingress': { enabled: true, host: HOST, tlsSecretName: 'zips-tls' },
      'egress.clusterCidrs': ['34.118.224.0/20'],
    });
    expect(notes).not.to.contain('Missing for production');
  });

  it('name the command that shows an address which only the cluster knows (X14)', async () => {
    async function command(values: Values) {
      return /To see ADDRESS, run:\n {2}(.*)/.exec(await renderNotes(values))?.[1];
    }
    expect(await command({ ...PROXIES, 'api.ingress.enabled': true })).to.equal(
      'kubectl get ingress -n zipjobs-system zipjobs-api',
    );
    const route = { enabled: true, parentRefs: GATEWAY, hostnames: ['*.example.com'] };
    expect(await command({ ...PROXIES, 'api.httpRoute': route })).to.equal(
      'kubectl get gateway -n gateways public',
    );
  });

  it('offer the Gateway API before an Ingress, to a release without either (Q-D4)', async () => {
    const offer = 'set api.httpRoute (Gateway API) or api.ingress';
    expect(await renderNotes()).to.contain(offer);
    expect(await renderNotes({ ...PROXIES, 'api.ingress.enabled': true })).not.to.contain(offer);
  });

  it('run the command line from its image, and nothing from a package registry (Q-D3)', async () => {
    const notes = await renderNotes({ 'image.tag': '7.0.0' });
    expect(notes).to.match(
      /alias zipjobs='docker run .* registry\.example\.com\/zipjobs\/zipjobs-cli:7\.0\.0'/,
    );
    expect(notes)
      .to.contain('  zipjobs project create my-project --create-namespace\n')
      .and.not.contain('npx');
  });

  it('name the addresses of the dashboard (X14)', async () => {
    const on = { ...PROXIES, 'dashboard.enabled': true };
    const ingress = { enabled: true, host: 'zipjobs.example.com' };
    async function address(values: Values) {
      return /The dashboard is at (\S+)/.exec(await renderNotes(values))?.[1];
    }
    expect(await address(on)).to.equal('http://localhost:8081/');
    expect(await address({ ...on, 'dashboard.ingress': ingress })).to.equal('https://zipjobs.example.com/');
    expect(await address({ ...on, 'dashboard.url': 'https://d.example.com' })).to.equal(
      'https://d.example.com/',
    );
  });
});

describe('the addresses in the notes of the chart', function () {
  this.timeout(30 * 60_000);
  let life: AsyncDisposableStack;
  beforeEach(() => {
    life = new AsyncDisposableStack();
  });
  afterEach(() => life.disposeAsync());

  /** The API with the rendered settings, behind a proxy with the rendered rules. */
  async function start(values: Values): Promise<{ readonly api: ApiServer; readonly ingress: TestIngress }> {
    const objects = await render(values);
    const { basePath, trustedProxies } = readApiConfig(plainEnv(envOf(objects, 'api')));
    const api = life.use(await startApiServer({ basePath, trustedProxies }));
    return { api, ingress: createTestIngress(objects, { 'zipjobs-api': api.url }) };
  }

  const cases: Readonly<Record<string, Values>> = {
    'an Ingress': INGRESS,
    'an Ingress with the path /api': { ...INGRESS, 'api.basePath': '/api' },
    'an Ingress with the path /archives': { ...INGRESS, 'api.basePath': '/archives' },
    'an Ingress with the path /a/b': { ...INGRESS, 'api.basePath': '/a/b' },
    'an Ingress without host': { 'api.ingress.enabled': true, 'api.basePath': '/archives' },
    'an HTTPRoute': {
      'api.basePath': '/archives',
      'api.httpRoute': { enabled: true, parentRefs: GATEWAY, hostnames: [HOST] },
    },
  };
  for (const [what, values] of Object.entries(cases))
    it(`respond behind ${what} (X14, X24)`, async () => {
      const { api, ingress } = await start({ ...PROXIES, ...values });
      const notes = await renderNotes({ ...PROXIES, ...values });
      const [, zips = '', docs = ''] =
        /The API is at https:\/\/(\S+)\nIts reference is at https:\/\/(\S+)/.exec(notes) ?? [];
      expect(await ingress.get(docs)).to.deep.include({ status: 200, type: 'text/html; charset=utf-8' });
      const created = await ingress.post(zips, api.token, JSON.stringify(A_REQUEST));
      expect(created.status, created.text).to.equal(201);
      const host = zips.slice(0, zips.indexOf('/'));
      expect((await ingress.get(`${host}${created.location}`, api.token)).status).to.equal(200);
      expect((await ingress.get(new URL('openapi.json', `https://${docs}`).href.slice(8))).status).to.equal(
        200,
      );
    });
});
