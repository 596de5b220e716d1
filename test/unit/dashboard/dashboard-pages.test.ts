import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  NOBODY,
  SESSION,
  startStaffedDashboard,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

describe('pages of createDashboard', () => {
  let server: DashboardServer;
  beforeEach(async () => {
    server = await startStaffedDashboard();
    server.zipJobs.put(aZipJob({ metadata: { namespace: 'team-a', name: 'first' } }));
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  describe('permissions', () => {
    it('show only projects that the user is allowed to get', async () => {
      server.tokens.set('view', { name: 'vic', allowed: ['get zipprojects team-a'] });
      const { text } = await (await visitAs(server, 'view')).get('/projects');
      expect(text).to.contain('Team A').and.to.not.contain('team-b');
    });

    it('show an empty list to a user without any', async () => {
      const { text } = await (await visitAs(server, NOBODY)).get('/projects');
      expect(text).to.contain('You have no access to a project yet').and.not.contain('Team A');
    });

    it('give the same response for a forbidden project and for a missing one', async () => {
      const visitor = await visitAs(server, NOBODY);
      const [hidden, absent] = [await visitor.get('/projects/team-a'), await visitor.get('/projects/none')];
      expect([hidden.status, absent.status]).to.deep.equal([403, 403]);
      expect(hidden.text).to.not.contain('Team A');
    });

    it('are checked again on every request', async () => {
      const visitor = await visitAs(server, ADA);
      expect((await visitor.get('/projects/team-a')).status).to.equal(200);
      server.tokens.set(ADA, { name: 'ada', allowed: ['get zipprojects team-a'] });
      const response = await visitor.get('/projects/team-a');
      expect(response.status).to.equal(403);
      expect(response.text).to.contain('is not allowed to list zipjobs in team-a');
      expect((await visitor.get('/projects/team-a/live/overview')).status).to.equal(403);
    });

    it('disable a menu item that is denied, and show the reason', async () => {
      server.tokens.set('view', { name: 'vic', allowed: ['get zipprojects team-a'] });
      const { text } = await (await visitAs(server, 'view')).get('/projects/team-a/first-steps');
      expect(text).to.match(
        /<button type="button" class="off" popovertarget="off-overview" aria-describedby="off-overview">Overview/,
      );
      expect(text).to.contain(
        '<span popover class="why" id="off-overview">Your Kubernetes account is not allowed to list zipjobs in team-a.</span>',
      );
    });

    it('end the session when the API server rejects the token', async () => {
      const visitor = await visitAs(server, ADA);
      server.tokens.delete(ADA);
      const response = await visitor.get('/projects/team-a');
      expect(response.headers.get('location')).to.equal('/sign-in?next=%2Fprojects%2Fteam-a&why=ended');
      expect(visitor.cookies.has(SESSION)).to.equal(false);
      expect((await visitor.get('/sign-in?why=ended')).text).to.contain('no longer accepts your token');
    });

    it('respond 401 to a live part instead of the sign-in page', async () => {
      const visitor = await visitAs(server, ADA);
      server.tokens.delete(ADA);
      const response = await visitor.get('/projects/team-a/live/overview', { 'x-live': '1' });
      expect([response.status, response.text]).to.deep.equal([401, '']);
    });
  });

  describe('new project', () => {
    const fields = { namespace: 'team-c', displayName: 'Team C' };

    it('is created with the token of the user', async () => {
      const visitor = await visitAs(server, ADA);
      const response = await visitor.post('/new-project', {
        ...fields,
        csrf: await visitor.csrf('/new-project'),
      });
      expect(response.headers.get('location')).to.equal('/projects');
      const made = server.requests.find(({ path }) => path.endsWith('/namespaces/team-c/zipprojects'));
      expect(made).to.deep.include({ method: 'POST', bearer: ADA });
      expect(made?.body).to.deep.include({ spec: { displayName: 'Team C' } });
      expect((await visitor.get('/projects')).text).to.contain('Project created in namespace team-c');
      expect((await visitor.get('/projects')).text).to.not.contain('is a project now');
    });

    it('shows the error next to the field and keeps the entered values', async () => {
      const visitor = await visitAs(server, ADA);
      const csrf = await visitor.csrf('/new-project');
      const bad = { namespace: 'Not A Name', displayName: '"><script>alert(1)</script>', csrf };
      const response = await visitor.post('/new-project', bad);
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('id="namespace-error"').and.contain('value="Not A Name"');
      expect(response.text).to.contain('&lt;script&gt;').and.not.contain('<script>');
    });
  });

  describe('pages', () => {
    it('forbid inline code and caching', async () => {
      const { headers } = await server.visit().get('/sign-in');
      expect(headers.get('content-security-policy'))
        .to.contain("default-src 'none'")
        .and.not.contain('unsafe');
      expect(Object.fromEntries(headers)).to.include({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(headers.get('strict-transport-security')).to.equal(null);
    });

    it('send HSTS once the URL is HTTPS', async () => {
      await server[Symbol.asyncDispose]();
      server = await startStaffedDashboard({ DASHBOARD_URL: 'https://zips.example.com' });
      const { headers } = await server.visit().get('/sign-in');
      expect(headers.get('strict-transport-security')).to.equal('max-age=31536000');
    });

    it('redirect pages from plain HTTP to HTTPS, and refuse forms', async () => {
      await server[Symbol.asyncDispose]();
      server = await startStaffedDashboard({
        DASHBOARD_URL: 'https://zips.example.com',
        TRUSTED_PROXIES: '127.0.0.0/8',
      });
      const visitor = server.visit();
      const plain = { 'x-forwarded-proto': 'http', origin: 'https://zips.example.com' };
      const page = await visitor.get('//evil.example/?a=1', plain);
      expect([page.status, page.headers.get('location')]).to.deep.equal([308, 'https://zips.example.com/']);
      const response = await visitor.post('/sign-in', { token: ADA }, plain);
      expect(response.status).to.equal(400);
      expect(visitor.cookies.size).to.equal(0);
    });

    it('redirect to their own host only, whatever the path is (N12)', async () => {
      await server[Symbol.asyncDispose]();
      server = await startStaffedDashboard({
        DASHBOARD_URL: 'https://zips.example.com',
        TRUSTED_PROXIES: '127.0.0.0/8',
      });
      // fetch would remove the dot segments.
      const asked = request(server.url, {
        path: '/.//evil.example/x',
        headers: { 'x-forwarded-proto': 'http' },
      });
      asked.end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      response.resume();
      expect([response.statusCode, response.headers.location]).to.deep.equal([
        308,
        'https://zips.example.com/',
      ]);
    });

    it('serve assets under their hash with an immutable cache', async () => {
      const visitor = server.visit();
      const { text } = await visitor.get('/sign-in');
      const [style = ''] = /\/assets\/[0-9a-f]{16}\/style\.css/.exec(text) ?? [];
      const { status, headers } = await visitor.get(style);
      expect(status).to.equal(200);
      expect(headers.get('cache-control')).to.contain('immutable');
      expect((await visitor.get('/assets/0123456789abcdef/style.css')).status).to.equal(404);
    });

    it('transfer less than 100 KiB in total', async () => {
      const visitor = await visitAs(server, ADA);
      const page = (await visitor.get('/projects/team-a')).text;
      const assets = [...page.matchAll(/\/assets\/[^"]+/g)].map(([path]) => path);
      const texts = await Promise.all(
        [...new Set(assets)].map(async (path) => (await visitor.get(path)).text),
      );
      expect(texts).to.have.lengthOf(5);
      expect(Buffer.byteLength([page, ...texts].join(''))).to.be.below(100 * 1024);
    });

    it('escape texts of callers', async () => {
      const evil = '"><img src=x onerror=alert(1)>';
      server.zipProjects.put(aProject('team-x', { displayName: evil }));
      server.zipJobs.put(
        aZipJob({ metadata: { namespace: 'team-x' }, spec: { key: evil }, status: { reason: evil } }),
      );
      const failure = { code: evil, retriable: false };
      const status = { phase: 'Failed', finishedAt: ago(-1e9), failure } as const;
      server.zipJobs.put(aZipJob({ metadata: { namespace: 'team-x', name: 'b' }, status }));
      const visitor = await visitAs(server, ADA);
      for (const path of [
        '/projects',
        '/projects/team-x',
        '/projects/team-x/live/overview',
        `/sign-in?next=${evil}`,
      ]) {
        const { text } = await visitor.get(path);
        expect(text, path).to.not.contain('<img src=x');
      }
      expect((await visitor.get('/projects/team-x')).text).to.contain('&lt;img src=x');
    });

    it('show the request ID of an error, but not its cause', async () => {
      server.respondWith(() => {
        throw new Error('boom: secret detail');
      });
      const visitor = await visitAs(server, ADA);
      const response = await visitor.post('/new-project', {
        namespace: 'x',
        displayName: '',
        csrf: await visitor.csrf('/new-project'),
      });
      expect(response.status).to.equal(500);
      expect(response.text).to.contain(response.headers.get('x-request-id')).and.not.contain('boom');
    });

    it('respond 404 to unknown paths, signed in or not', async () => {
      expect((await server.visit().get('/nowhere')).status).to.equal(404);
      expect((await (await visitAs(server, ADA)).get('/projects/none/nowhere')).status).to.equal(404);
      expect((await (await visitAs(server, ADA)).get('/projects/none')).status).to.equal(404);
    });

    it('open from a link on another site through an intermediate page', async () => {
      const visitor = server.visit();
      const response = await visitor.get('/projects/team-a', { 'sec-fetch-site': 'cross-site' });
      expect(response.status).to.equal(200);
      expect(response.text).to.contain('http-equiv="refresh" content="0;url=/projects/team-a"');
    });

    it('keep the chosen theme', async () => {
      const visitor = server.visit();
      const response = await visitor.post('/preferences', { theme: 'dark', next: '/sign-in' });
      expect(response.headers.get('location')).to.equal('/sign-in');
      expect((await visitor.get('/sign-in')).text).to.contain('data-theme="dark"');
      await visitor.post('/preferences', { theme: '"><script>', next: '/' });
      expect((await visitor.get('/sign-in')).text).to.contain('data-theme="auto"');
    });
  });
});
