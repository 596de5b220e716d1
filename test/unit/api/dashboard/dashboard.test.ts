import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { aProject } from '../../../support/api-server.ts';
import { ago, aZipJob } from '../../../support/builders.ts';
import {
  type DashboardServer,
  FROM_HERE,
  startDashboardServer,
  type Visitor,
} from '../../../support/dashboard-server.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const SESSION = '__Host-zipjobs-session';
const ADA = 'ada-token';
const NOBODY = 'nobody-token';
const ALL = ['*'];

const start = async (env: Readonly<Record<string, string>> = {}): Promise<DashboardServer> => {
  const server = await startDashboardServer({ env });
  server.tokens.set(ADA, { name: 'ada', allowed: ALL });
  server.tokens.set(NOBODY, { name: 'nobody', allowed: [] });
  server.zipProjects.put(aProject('team-a', { displayName: 'Team A' }));
  server.zipProjects.put(aProject('team-b'));
  return server;
};

const visitAs = async (server: DashboardServer, token: string): Promise<Visitor> => {
  const visitor = server.visit();
  expect((await visitor.signIn(token)).status).to.equal(303);
  return visitor;
};

describe('createDashboard', () => {
  let server: DashboardServer;
  beforeEach(async () => {
    server = await start();
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  describe('sign-in with a token', () => {
    it('asks who the person is with that very token, and goes where the person wanted', async () => {
      const visitor = server.visit();
      const turned = await visitor.get('/projects/team-a?x=1');
      expect(turned.status).to.equal(303);
      expect(turned.headers.get('location')).to.equal('/sign-in?next=%2Fprojects%2Fteam-a%3Fx%3D1');
      const answer = await visitor.post('/sign-in', { token: ` ${ADA}\n`, next: '/projects/team-a?x=1' });
      expect(answer.status).to.equal(303);
      expect(answer.headers.get('location')).to.equal('/projects/team-a?x=1');
      expect(server.requests.map(({ bearer, path }) => [bearer, path])).to.deep.equal([
        [ADA, '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
      ]);
      expect((await visitor.get('/projects')).text).to.contain('ada');
    });

    it('keeps the session in a cookie that only this host gets back', async () => {
      const answer = await server.visit().signIn(ADA);
      expect(answer.headers.getSetCookie()).to.have.lengthOf(1);
      expect(answer.headers.getSetCookie()[0]).to.match(
        /^__Host-zipjobs-session=[\w-]{86}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
    });

    for (const token of ['', 'two words', 'line\nbreak', 'unknown-to-it', 'ü', 'x'.repeat(17_000)]) {
      it(`refuses ${JSON.stringify(token.slice(0, 20))} without showing it again`, async () => {
        const visitor = server.visit();
        const answer = await visitor.signIn(token);
        expect(answer.status).to.equal(422);
        expect(answer.text).to.contain('aria-invalid="true"').and.to.contain('role="alert"');
        if (token !== '') expect(answer.text).to.not.contain(token.slice(0, 20));
        expect(visitor.cookies.size).to.equal(0);
      });
    }

    it('gives a new session at every sign-in and ends the one before', async () => {
      const visitor = await visitAs(server, ADA);
      const first = visitor.cookies.get(SESSION) ?? '';
      await visitor.signIn(ADA);
      expect(visitor.cookies.get(SESSION)).to.not.equal(first);
      const thief = server.visit();
      thief.cookies.set(SESSION, first);
      expect((await thief.get('/projects')).status).to.equal(303);
    });

    it('is limited by client address', async () => {
      await server[Symbol.asyncDispose]();
      server = await start({ DASHBOARD_SIGN_INS_PER_MINUTE: '2' });
      const visitor = server.visit();
      expect((await visitor.signIn('wrong')).status).to.equal(422);
      expect((await visitor.signIn('wrong')).status).to.equal(422);
      const answer = await visitor.signIn(ADA);
      expect(answer.status).to.equal(429);
      expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 60);
    });

    it('goes to no other site afterwards', async () => {
      const answer = await server.visit().post('/sign-in', { token: ADA, next: '//evil.example/' });
      expect(answer.headers.get('location')).to.equal('/');
    });

    it('logs who signed in, and never a token', async () => {
      const visitor = await visitAs(server, ADA);
      await visitor.get('/projects');
      await server.visit().signIn('unknown-to-it');
      const log = server.logLines.join('\n');
      expect(log).to.contain('signed in').and.to.contain('"person":"ada"');
      expect(log)
        .to.not.contain(ADA)
        .and.not.contain('unknown-to-it')
        .and.not.contain(visitor.cookies.get(SESSION));
    });
  });

  describe('forms', () => {
    it('change nothing without the token of this session', async () => {
      const visitor = await visitAs(server, ADA);
      const mine = await visitor.csrf('/new-project');
      const other = await visitAs(server, ADA);
      await visitor.signIn(ADA);
      const fields = { namespace: 'team-c', displayName: '' };
      for (const csrf of ['', 'x', mine, await other.csrf('/new-project')]) {
        const answer = await visitor.post('/new-project', { ...fields, csrf });
        expect(answer.status, csrf).to.equal(403);
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
      it(`are refused from elsewhere: ${JSON.stringify(headers)}`, async () => {
        const visitor = await visitAs(server, ADA);
        const csrf = await visitor.csrf('/new-project');
        for (const path of ['/new-project', '/sign-in', '/sign-out', '/theme'])
          expect((await visitor.post(path, { csrf, token: ADA }, headers)).status, path).to.equal(403);
      });
    }

    it('pass with an origin of our own from browsers that say no more', async () => {
      expect((await server.visit().post('/sign-in', { token: ADA }, { origin: server.url })).status).to.equal(
        303,
      );
    });

    it('pass only from the address that browsers use, where that is told', async () => {
      await server[Symbol.asyncDispose]();
      server = await start({ DASHBOARD_URL: 'https://zips.example.com' });
      const post = (origin: string) => server.visit().post('/sign-in', { token: ADA }, { origin });
      expect((await post('https://zips.example.com')).status).to.equal(303);
      expect((await post(server.url)).status).to.equal(403);
    });

    it('are read only as forms, and only up to a size', async () => {
      const visitor = server.visit();
      const json = await visitor.post('/sign-in', {}, { ...FROM_HERE, 'content-type': 'application/json' });
      expect(json.status).to.equal(415);
      expect((await visitor.signIn('x'.repeat(200_000))).status).to.equal(413);
    });
  });

  describe('signing out', () => {
    it('makes the cookie worthless', async () => {
      const visitor = await visitAs(server, ADA);
      const stolen = visitor.cookies.get(SESSION) ?? '';
      const answer = await visitor.post('/sign-out', { csrf: await visitor.csrf('/projects') });
      expect(answer.headers.get('location')).to.equal('/sign-in?why=out');
      expect(visitor.cookies.has(SESSION)).to.equal(false);
      const thief = server.visit();
      thief.cookies.set(SESSION, stolen);
      expect((await thief.get('/projects')).status).to.equal(303);
    });

    it('everywhere ends every session of the person, and nobody else’s', async () => {
      const [here, there, other] = [
        await visitAs(server, ADA),
        await visitAs(server, ADA),
        await visitAs(server, NOBODY),
      ];
      await here.post('/sign-out-everywhere', { csrf: await here.csrf('/projects') });
      expect((await there.get('/projects')).status).to.equal(303);
      expect((await other.get('/projects')).status).to.equal(200);
    });

    it('takes a form of this session', async () => {
      const visitor = await visitAs(server, ADA);
      expect((await visitor.post('/sign-out', { csrf: 'x' })).status).to.equal(403);
      expect((await visitor.get('/projects')).status).to.equal(200);
    });
  });

  describe('rights', () => {
    it('show only projects that the person may get', async () => {
      server.tokens.set('view', { name: 'vic', allowed: ['get zipprojects team-a'] });
      const { text } = await (await visitAs(server, 'view')).get('/projects');
      expect(text).to.contain('Team A').and.to.not.contain('team-b');
    });

    it('say that there is nothing to see to somebody without any', async () => {
      const { text } = await (await visitAs(server, NOBODY)).get('/projects');
      expect(text).to.contain('no project that you may see').and.not.contain('Team A');
    });

    it('tell the same of a project that is not theirs and of one that is none', async () => {
      const visitor = await visitAs(server, NOBODY);
      const [hidden, absent] = [await visitor.get('/projects/team-a'), await visitor.get('/projects/none')];
      expect([hidden.status, absent.status]).to.deep.equal([403, 403]);
      expect(hidden.text).to.not.contain('Team A');
    });

    it('are asked for anew at every click', async () => {
      const visitor = await visitAs(server, ADA);
      expect((await visitor.get('/projects/team-a')).status).to.equal(200);
      server.tokens.set(ADA, { name: 'ada', allowed: ['get zipprojects team-a'] });
      const answer = await visitor.get('/projects/team-a');
      expect(answer.status).to.equal(403);
      expect(answer.text).to.contain('may not list zipjobs in team-a');
      expect((await visitor.get('/projects/team-a/live/overview')).status).to.equal(403);
    });

    it('show a menu item that is not allowed as disabled, with the reason', async () => {
      server.tokens.set('view', { name: 'vic', allowed: ['get zipprojects team-a'] });
      const { text } = await (await visitAs(server, 'view')).get('/projects/team-a/first-steps');
      expect(text).to.match(
        /<span class="off" title="Your Kubernetes account may not list zipjobs in team-a\.">Overview/,
      );
    });

    it('end the session when the API server no longer knows the token', async () => {
      const visitor = await visitAs(server, ADA);
      server.tokens.delete(ADA);
      const answer = await visitor.get('/projects/team-a');
      expect(answer.headers.get('location')).to.equal('/sign-in?next=%2Fprojects%2Fteam-a&why=ended');
      expect(visitor.cookies.has(SESSION)).to.equal(false);
      expect((await visitor.get('/sign-in?why=ended')).text).to.contain('no longer accepts your token');
    });

    it('answer a live part 401 instead of a page to sign in on', async () => {
      const visitor = await visitAs(server, ADA);
      server.tokens.delete(ADA);
      const answer = await visitor.get('/projects/team-a/live/overview', { 'x-live': '1' });
      expect([answer.status, answer.text]).to.deep.equal([401, '']);
    });
  });

  describe('new project', () => {
    const fields = { namespace: 'team-c', displayName: 'Team C' };

    it('is made with the token of the person', async () => {
      const visitor = await visitAs(server, ADA);
      const answer = await visitor.post('/new-project', {
        ...fields,
        csrf: await visitor.csrf('/new-project'),
      });
      expect(answer.headers.get('location')).to.equal('/projects');
      const made = server.requests.find(({ path }) => path.endsWith('/namespaces/team-c/zipprojects'));
      expect(made).to.deep.include({ method: 'POST', bearer: ADA });
      expect(made?.body).to.deep.include({ spec: { displayName: 'Team C' } });
      expect((await visitor.get('/projects')).text).to.contain('The namespace team-c is a project now.');
      expect((await visitor.get('/projects')).text).to.not.contain('is a project now');
    });

    it('says what is wrong beside the field and keeps what was filled in', async () => {
      const visitor = await visitAs(server, ADA);
      const csrf = await visitor.csrf('/new-project');
      const bad = { namespace: 'Not A Name', displayName: '"><script>alert(1)</script>', csrf };
      const answer = await visitor.post('/new-project', bad);
      expect(answer.status).to.equal(422);
      expect(answer.text).to.contain('id="namespace-error"').and.contain('value="Not A Name"');
      expect(answer.text).to.contain('&lt;script&gt;').and.not.contain('<script>');
    });
  });

  describe('pages', () => {
    it('tell browsers to run nothing inline and to keep nothing', async () => {
      const { headers } = await server.visit().get('/sign-in');
      expect(headers.get('content-security-policy'))
        .to.contain("default-src 'none'")
        .and.not.contain('unsafe');
      expect(Object.fromEntries(headers)).to.include({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(headers.get('strict-transport-security')).to.equal(null);
    });

    it('insist on HTTPS once it is there', async () => {
      await server[Symbol.asyncDispose]();
      server = await start({ DASHBOARD_URL: 'https://zips.example.com' });
      const { headers } = await server.visit().get('/sign-in');
      expect(headers.get('strict-transport-security')).to.equal('max-age=31536000');
    });

    it('name assets by their hash, for ever', async () => {
      const visitor = server.visit();
      const { text } = await visitor.get('/sign-in');
      const [style = ''] = /\/assets\/[0-9a-f]{16}\/style\.css/.exec(text) ?? [];
      const { status, headers } = await visitor.get(style);
      expect(status).to.equal(200);
      expect(headers.get('cache-control')).to.contain('immutable');
      expect((await visitor.get('/assets/0123456789abcdef/style.css')).status).to.equal(404);
    });

    it('weigh less than 100 KiB in all', async () => {
      const visitor = await visitAs(server, ADA);
      const page = (await visitor.get('/projects/team-a')).text;
      const assets = [...page.matchAll(/\/assets\/[^"]+/g)].map(([path]) => path);
      const texts = await Promise.all(
        [...new Set(assets)].map(async (path) => (await visitor.get(path)).text),
      );
      expect(texts).to.have.lengthOf(3);
      expect(Buffer.byteLength([page, ...texts].join(''))).to.be.below(100 * 1024);
    });

    it('show what callers chose as text', async () => {
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

    it('say the request id on an error, and nothing of its cause', async () => {
      server.answerWith(() => {
        throw new Error('boom: secret detail');
      });
      const visitor = await visitAs(server, ADA);
      const answer = await visitor.post('/new-project', {
        namespace: 'x',
        displayName: '',
        csrf: await visitor.csrf('/new-project'),
      });
      expect(answer.status).to.equal(500);
      expect(answer.text).to.contain(answer.headers.get('x-request-id')).and.not.contain('boom');
    });

    it('say 404 for what is not there, signed in or not', async () => {
      expect((await server.visit().get('/nowhere')).status).to.equal(404);
      expect((await (await visitAs(server, ADA)).get('/projects/none/nowhere')).status).to.equal(404);
      expect((await (await visitAs(server, ADA)).get('/projects/none')).status).to.equal(404);
    });

    it('let a link on another site in, by a page of our own', async () => {
      const visitor = server.visit();
      const answer = await visitor.get('/projects/team-a', { 'sec-fetch-site': 'cross-site' });
      expect(answer.status).to.equal(200);
      expect(answer.text).to.contain('http-equiv="refresh" content="0;url=/projects/team-a"');
    });

    it('keep the colours that somebody chose', async () => {
      const visitor = server.visit();
      const answer = await visitor.post('/theme', { theme: 'dark', next: '/sign-in' });
      expect(answer.headers.get('location')).to.equal('/sign-in');
      expect((await visitor.get('/sign-in')).text).to.contain('data-theme="dark"');
      await visitor.post('/theme', { theme: '"><script>', next: '/' });
      expect((await visitor.get('/sign-in')).text).to.contain('data-theme="auto"');
    });
  });
});

describe('a dashboard session', () => {
  it('asks the API server about menus at most every few seconds', async () => {
    const clock = createManualClock();
    await using server = await startDashboardServer({ clock });
    server.tokens.set(ADA, { name: 'ada', allowed: ALL });
    server.zipProjects.put(aProject('team-a'));
    const visitor = server.visit();
    await visitor.signIn(ADA);
    const asked = async (): Promise<number> => {
      const before = server.requests.length;
      await visitor.get('/projects/team-a');
      return server.requests.length - before;
    };
    const first = await asked();
    expect(await asked())
      .to.equal(2)
      .and.to.be.below(first);
    clock.jump(3_001);
    expect(await asked()).to.equal(first);
  });
});

describe('templates', () => {
  const ROOT = 'api/dashboard';

  it('write nothing unescaped but other templates', async () => {
    const files = (await readdir(ROOT, { recursive: true })).filter((file) => file.endsWith('.eta'));
    expect(files.length).to.be.above(5);
    for (const file of files) {
      const text = await readFile(join(ROOT, file), 'utf8');
      const raw = [...text.matchAll(/<%~\s*(.*?)%>/gs)].map(([, code = '']) => code.trim());
      expect(
        raw.filter((code) => !/^(include\(|it\.body$)/.test(code)),
        file,
      ).to.deep.equal([]);
      expect(text, file).to.not.match(/\sstyle=|\son[a-z]+=|<script(?! src=)|<style/);
    }
  });
});
