import { expect } from 'chai';
import {
  ADA,
  type DashboardServer,
  FROM_HERE,
  NOBODY,
  SESSION,
  startStaffedDashboard,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

describe('sessions of createDashboard', () => {
  let server: DashboardServer;
  beforeEach(async () => {
    server = await startStaffedDashboard();
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  describe('sign-in with a token', () => {
    it('reads the user name with that token, and redirects to the requested page', async () => {
      const visitor = server.visit();
      const turned = await visitor.get('/projects/team-a?x=1');
      expect(turned.status).to.equal(303);
      expect(turned.headers.get('location')).to.equal('/sign-in?next=%2Fprojects%2Fteam-a%3Fx%3D1');
      const response = await visitor.post('/sign-in', { token: ` ${ADA}\n`, next: '/projects/team-a?x=1' });
      expect(response.status).to.equal(303);
      expect(response.headers.get('location')).to.equal('/projects/team-a?x=1');
      expect(server.requests.map(({ bearer, path }) => [bearer, path])).to.deep.equal([
        [ADA, '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
      ]);
      expect((await visitor.get('/projects')).text).to.contain('ada');
    });

    it('keeps the session in a cookie of this host only', async () => {
      const response = await server.visit().signIn(ADA);
      expect(response.headers.getSetCookie()).to.have.lengthOf(1);
      expect(response.headers.getSetCookie()[0]).to.match(
        /^__Host-zipjobs-session=[\w-]{86}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
    });

    for (const token of ['', 'two words', 'line\nbreak', 'unknown-to-it', 'ü', 'x'.repeat(17_000)]) {
      it(`refuses ${JSON.stringify(token.slice(0, 20))} without showing it again`, async () => {
        const visitor = server.visit();
        const response = await visitor.signIn(token);
        expect(response.status).to.equal(422);
        expect(response.text).to.contain('aria-invalid="true"').and.to.contain('role="alert"');
        if (token !== '') expect(response.text).to.not.contain(token.slice(0, 20));
        expect(visitor.cookies.size).to.equal(0);
      });
    }

    it('starts a new session at every sign-in and ends the previous one', async () => {
      const visitor = await visitAs(server, ADA);
      const first = visitor.cookies.get(SESSION) ?? '';
      await visitor.signIn(ADA);
      expect(visitor.cookies.get(SESSION)).to.not.equal(first);
      const thief = server.visit();
      thief.cookies.set(SESSION, first);
      expect((await thief.get('/projects')).status).to.equal(303);
    });

    it('is rate-limited by client address', async () => {
      await server[Symbol.asyncDispose]();
      server = await startStaffedDashboard({ DASHBOARD_SIGN_INS_PER_MINUTE: '2' });
      const visitor = server.visit();
      expect((await visitor.signIn('wrong')).status).to.equal(422);
      expect((await visitor.signIn('wrong')).status).to.equal(422);
      const response = await visitor.signIn(ADA);
      expect(response.status).to.equal(429);
      expect(Number(response.headers.get('retry-after'))).to.be.within(1, 60);
    });

    it('is rate-limited by each client behind a trusted proxy (N13)', async () => {
      await server[Symbol.asyncDispose]();
      const env = { DASHBOARD_SIGN_INS_PER_MINUTE: '2', TRUSTED_PROXIES: '127.0.0.0/8' };
      server = await startStaffedDashboard(env);
      async function attempt(client: string, token: string): Promise<number> {
        const headers = { ...FROM_HERE, 'x-forwarded-for': client };
        return (await server.visit().post('/sign-in', { token }, headers)).status;
      }
      for (const status of [422, 422, 429]) expect(await attempt('203.0.113.9', 'wrong')).to.equal(status);
      expect(await attempt('198.51.100.7', ADA)).to.equal(303);
      // The proxy appends the real address to what the client sends.
      expect(await attempt('198.51.100.8, 203.0.113.9', ADA)).to.equal(429);
    });

    it('is rate-limited by each client whose port the proxy reports (N23)', async () => {
      await server[Symbol.asyncDispose]();
      const env = { DASHBOARD_SIGN_INS_PER_MINUTE: '1', TRUSTED_PROXIES: '127.0.0.0/8' };
      server = await startStaffedDashboard(env);
      async function attempt(client: string): Promise<number> {
        const headers = { ...FROM_HERE, 'x-forwarded-for': client };
        return (await server.visit().post('/sign-in', { token: ADA }, headers)).status;
      }
      expect([
        await attempt('203.0.113.9:50123'),
        await attempt('203.0.113.9:50124'),
        await attempt('198.51.100.7:50123'),
        await attempt('[2001:db8::1]:443'),
      ]).to.deep.equal([303, 429, 303, 303]);
    });

    it('never redirects to another site (N12)', async () => {
      const visitor = server.visit();
      for (const next of ['//evil.example/', '/.//evil.example/x', '/projects/..//evil.example/x']) {
        const signedIn = await visitor.post('/sign-in', { token: ADA, next });
        expect(signedIn.headers.get('location'), next).to.equal('/');
        const again = await visitor.get(`/sign-in?next=${next}`);
        expect(again.headers.get('location'), next).to.equal('/');
        const theme = await visitor.post('/preferences', { theme: 'dark', next });
        expect(theme.headers.get('location'), next).to.equal('/');
      }
    });

    it('logs its route, which metrics use too, and unknown paths without one', async () => {
      const visitor = server.visit();
      await visitor.signIn('unknown-to-it');
      await visitor.get('/unknown');
      const routes = server.logLines
        .map((line) => JSON.parse(line) as { message: string; path?: string; route?: string })
        .filter(({ message }) => message === 'request')
        .map(({ path, route }) => [path, route]);
      expect(routes).to.deep.equal([
        ['/sign-in', '/sign-in'],
        ['/unknown', undefined],
      ]);
    });

    it('logs who signed in, but never a token', async () => {
      const visitor = await visitAs(server, ADA);
      await visitor.get('/projects');
      await server.visit().signIn('unknown-to-it');
      const log = server.logLines.join('\n');
      expect(log).to.contain('signed in').and.to.contain('"user":"ada"');
      expect(log)
        .to.not.contain(ADA)
        .and.not.contain('unknown-to-it')
        .and.not.contain(visitor.cookies.get(SESSION));
    });
  });

  describe('forms', () => {
    it('change nothing without the CSRF token of this session', async () => {
      const visitor = await visitAs(server, ADA);
      const mine = await visitor.csrf('/new-project');
      const other = await visitAs(server, ADA);
      await visitor.signIn(ADA);
      const fields = { namespace: 'team-c', displayName: '' };
      for (const csrf of ['', 'x', mine, await other.csrf('/new-project')]) {
        const response = await visitor.post('/new-project', { ...fields, csrf });
        expect(response.status, csrf).to.equal(403);
      }
      expect(server.requests.filter(({ path }) => path.includes('zipjobs.dev'))).to.deep.equal([]);
    });

    const strangers: readonly Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site', origin: 'null' },
      { 'sec-fetch-site': 'same-site', origin: 'null' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ];
    for (const headers of strangers) {
      it(`are refused from other sites: ${JSON.stringify(headers)}`, async () => {
        const visitor = await visitAs(server, ADA);
        const csrf = await visitor.csrf('/new-project');
        for (const path of ['/new-project', '/sign-in', '/sign-out', '/preferences'])
          expect((await visitor.post(path, { csrf, token: ADA }, headers)).status, path).to.equal(403);
      });
    }

    it('are accepted with our own origin from browsers without Sec-Fetch-Site', async () => {
      expect((await server.visit().post('/sign-in', { token: ADA }, { origin: server.url })).status).to.equal(
        303,
      );
    });

    it('are accepted only from DASHBOARD_URL when it is set', async () => {
      await server[Symbol.asyncDispose]();
      server = await startStaffedDashboard({ DASHBOARD_URL: 'https://zips.example.com' });
      function post(origin: string) {
        return server.visit().post('/sign-in', { token: ADA }, { origin });
      }
      expect((await post('https://zips.example.com')).status).to.equal(303);
      expect((await post(server.url)).status).to.equal(403);
    });

    it('must be URL-encoded and below the size limit', async () => {
      const visitor = server.visit();
      const json = await visitor.post('/sign-in', {}, { ...FROM_HERE, 'content-type': 'application/json' });
      expect(json.status).to.equal(415);
      expect((await visitor.signIn('x'.repeat(200_000))).status).to.equal(413);
    });
  });

  describe('signing out', () => {
    it('invalidates the cookie', async () => {
      const visitor = await visitAs(server, ADA);
      const stolen = visitor.cookies.get(SESSION) ?? '';
      const response = await visitor.post('/sign-out', { csrf: await visitor.csrf('/projects') });
      expect(response.headers.get('location')).to.equal('/sign-in?why=out');
      expect(visitor.cookies.has(SESSION)).to.equal(false);
      const thief = server.visit();
      thief.cookies.set(SESSION, stolen);
      expect((await thief.get('/projects')).status).to.equal(303);
    });

    it('everywhere ends every session of the user, and no other', async () => {
      const [here, there, other] = [
        await visitAs(server, ADA),
        await visitAs(server, ADA),
        await visitAs(server, NOBODY),
      ];
      await here.post('/sign-out-everywhere', { csrf: await here.csrf('/projects') });
      expect((await there.get('/projects')).status).to.equal(303);
      expect((await other.get('/projects')).status).to.equal(200);
    });

    it('requires a form of this session', async () => {
      const visitor = await visitAs(server, ADA);
      expect((await visitor.post('/sign-out', { csrf: 'x' })).status).to.equal(403);
      expect((await visitor.get('/projects')).status).to.equal(200);
    });
  });
});
