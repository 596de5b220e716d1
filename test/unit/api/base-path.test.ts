import { expect } from 'chai';
import { readApiConfig } from '#api/config.ts';
import type { OpenApiDocument } from '#api/openapi/document-types.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

/** The addresses of an HTML page's links, as a browser resolves them. */
function linksOf(page: string, url: string): readonly string[] {
  return [...page.matchAll(/href="([^"#]+)"/g)].map(([, href = '']) => new URL(href, url).href);
}

for (const basePath of ['/archives', '/tools/archives', '/api', '/v1/zips'])
  describe(`an API below ${basePath} (X14)`, () => {
    let api: ApiServer;
    before(async () => {
      api = await startApiServer({ basePath });
    });
    after(() => api[Symbol.asyncDispose]());

    it('creates and reads a zip, and returns a Location that responds', async () => {
      const created = await api.post(A_REQUEST, { path: `${basePath}/v1/zips` });
      expect(created.status, created.text).to.equal(201);
      const location = created.headers.get('location') ?? '';
      expect(location).to.equal(`${basePath}/v1/zips/${created.body.data?.uuid ?? ''}`);
      expect((await api.ask({ path: location })).body).to.deep.equal(created.body);
    });

    it('serves the reference, whose links to the API respond', async () => {
      for (const url of [`${api.url}${basePath}/docs`, `${api.url}/docs`, `${api.url}/api/docs`]) {
        const page = await fetch(url);
        expect(page.status, url).to.equal(200);
        const links = linksOf(await page.text(), url).filter((link) => link.startsWith(api.url));
        expect(links).not.to.deep.equal([]);
        for (const link of links) expect((await fetch(link)).status, link).to.equal(200);
      }
    });

    it('describes servers and a reference that respond', async () => {
      const url = `${api.url}${basePath}/openapi.json`;
      const document = (await (await fetch(url)).json()) as OpenApiDocument;
      for (const server of document.servers) {
        expect(server.url).to.match(new RegExp(`^${basePath}(/api)?$`));
        const created = await api.post(A_REQUEST, { path: `${server.url}/v1/zips` });
        expect(created.status, created.text).to.equal(201);
      }
      expect((await fetch(new URL(document.externalDocs.url, url))).status).to.equal(200);
    });

    it('still serves clients that do not send the base path', async () => {
      for (const path of ['/v1/zips', '/api/v1/zips'])
        expect((await api.post(A_REQUEST, { path })).status, path).to.equal(201);
    });

    it('names its public addresses for an unknown path', async () => {
      const { status, body } = await api.ask({ path: `${basePath}/nothing/there` });
      expect(status).to.equal(404);
      expect(body.error?.message)
        .to.contain(`at ${basePath}/v1/zips;`)
        .and.to.contain(`at ${basePath}/docs.`);
    });
  });

describe('a browser near the API reference', () => {
  const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  let api: ApiServer;
  before(async () => {
    api = await startApiServer({ basePath: '/tools/archives' });
  });
  after(() => api[Symbol.asyncDispose]());

  for (const path of [
    '/',
    '/docs/',
    '/api',
    '/api/docs/',
    '/tools/archives',
    '/tools/archives/',
    '/tools/archives/docs/',
  ])
    it(`is redirected to it from ${path} (Q-A9)`, async () => {
      const page = await fetch(`${api.url}${path}`, { headers: HTML });
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(new URL(page.url).pathname).to.match(/^(\/tools\/archives|\/api)?\/docs$/);
    });

  it('is redirected relative to its address, from which a proxy may have removed the base path (Q-A9)', async () => {
    const { headers } = await fetch(`${api.url}/docs/`, { headers: HTML, redirect: 'manual' });
    expect(headers.get('location')).to.equal('../docs');
  });

  for (const path of ['/', '/docs/'])
    it(`gets 404 from ${path} if it is a program or a health check, which accepts any type (Q-A9)`, async () => {
      for (const accept of ['*/*', 'application/json']) {
        const { status, body } = await askApi(api.url, { path, headers: { accept } });
        expect([status, body.error?.code]).to.deep.equal([404, 'resource_not_found']);
      }
      const bare = await rawHttp(api.port, [`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`]);
      expect(bare).to.match(/^HTTP\/1.1 404 /);
    });
});

describe('BASE_PATH', () => {
  it('moves the help links of error codes, unless they point elsewhere (X14)', () => {
    expect(readApiConfig({}).helpUrl).to.equal('/docs');
    expect(readApiConfig({ BASE_PATH: '/archives' }).helpUrl).to.equal('/archives/docs');
    const elsewhere = { BASE_PATH: '/archives', HELP_URL: 'https://help.example.com' };
    expect(readApiConfig(elsewhere).helpUrl).to.equal('https://help.example.com');
  });

  it('follows PUBLIC_URL in help links, which must be a URL without a path', () => {
    const PUBLIC_URL = 'https://zips.example.com:8443';
    expect(readApiConfig({ PUBLIC_URL, BASE_PATH: '/archives' }).helpUrl).to.equal(
      `${PUBLIC_URL}/archives/docs`,
    );
    expect(readApiConfig({ PUBLIC_URL: 'http://[fd00::1]' }).helpUrl).to.equal('http://[fd00::1]/docs');
    for (const url of [
      'zips.example.com',
      'https://',
      'https://a/',
      'https://a/b',
      'ftp://a',
      'https://a?b',
      'https://u@a',
    ])
      expect(() => readApiConfig({ PUBLIC_URL: url }), url).to.throw('PUBLIC_URL');
  });

  it('is refused if it could be read in two ways (X14)', () => {
    for (const path of ['archives', '/', '/archives/', '//a', '/a/../b', '/a?b', '/a b', '/:id', '/a*'])
      expect(() => readApiConfig({ BASE_PATH: path }), path).to.throw('BASE_PATH');
  });
});
