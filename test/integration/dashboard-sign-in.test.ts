/** Sessions, secrets and other sites in a browser. The API server is in memory. */
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type BrowserTraces, tracesOf } from '#test/support/browser/browser-traces.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { ADA } from '#test/support/servers/dashboard-server.ts';
import { type OpenPage, openAs, openPage } from '#test/support/worlds/dashboard-desk.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
} from '#test/support/worlds/dashboard-project.ts';

const EVIL = 'http://evil.example/';
const [ACCESS_KEY, SECRET_KEY] = ['AKIAEXAMPLEKEY', 'the-secret-access-key-0123456789'] as const;

function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

async function csrfOf(page: Page): Promise<string> {
  await page.goto('/projects');
  return (await page.locator('input[name=csrf]').first().getAttribute('value')) ?? '';
}

async function isSignedIn(page: Page): Promise<boolean> {
  await page.goto('/projects');
  return (await page.getByRole('heading', { name: 'Projects' }).count()) === 1;
}

/** Signs the user out by a form of another site with this policy. Returns the status and the headers that the browser sent. */
async function submitElsewhere({ page }: OpenPage, policy = 'strict-origin-when-cross-origin') {
  const csrf = await csrfOf(page);
  const action = new URL('/sign-out', page.url()).href;
  const body = `<form method="post" action="${action}"><input name="csrf" value="${csrf}"><button>Win</button></form>`;
  await page.route(EVIL, (route) =>
    route.fulfill({ contentType: 'text/html', headers: { 'Referrer-Policy': policy }, body }),
  );
  await page.goto(EVIL);
  const [response] = await Promise.all([
    page.waitForResponse((reply) => reply.url().endsWith('/sign-out')),
    press(page, 'Win'),
  ]);
  await page.unroute(EVIL);
  return { status: response.status(), sent: await response.request().allHeaders() };
}

describe('a session of the dashboard in a browser', function () {
  this.timeout(120_000);
  const life = new AsyncDisposableStack();
  let project: DashboardProject;
  before(async function () {
    await requireBrowser(this);
    project = life.use(await startDashboardProject());
  });
  after(() => life.disposeAsync());

  it('is not ended by a form that another site sends with its cookie', async () => {
    await using open = await openAs(project.ada);
    expect((await submitElsewhere(open)).status).to.equal(403);
    expect(await isSignedIn(open.page)).to.equal(true);
  });

  it('is used by a link on another site, without a second sign-in', async () => {
    await using open = await openAs(project.ada);
    const { page } = open;
    const body = `<a href="${project.server.url}${HOME}">the project</a>`;
    await page.route('http://mail.example/', (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto('http://mail.example/');
    await page.getByRole('link', { name: 'the project' }).click();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
  });

  describe('with secrets', () => {
    async function addBucket(page: Page): Promise<void> {
      await page.goto(`${HOME}/new-bucket`);
      await page.getByLabel('Bucket name').fill('secretive');
      await page.getByLabel('Access key ID').fill(ACCESS_KEY);
      await page.getByLabel('Secret access key').fill(SECRET_KEY);
      await page.getByLabel('Region').first().fill('eu-central-1');
      await press(page, 'Save and test');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('link', { name: 'Update credentials' }).click();
      await page.getByLabel('Access key ID').fill(ACCESS_KEY);
      await page.getByLabel('Secret access key').fill(`${SECRET_KEY}2`);
      await press(page, 'Save and test');
      await page.getByText('Credentials updated.').waitFor();
    }
    async function createToken(page: Page): Promise<string> {
      await page.goto(`${HOME}/new-token`);
      await press(page, 'Create token');
      return (await page.locator('#token').textContent()) ?? '';
    }
    /** Each secret is shown once or never: the number of responses that may contain it. */
    async function makeSecrets(page: Page): Promise<ReadonlyMap<string, number>> {
      await addBucket(page);
      await page.goto(`${HOME}/webhook`);
      await page.getByLabel('URL').fill('https://hooks.example.com/?key=a-password');
      await press(page, 'Save');
      const first = (await page.locator('#secret').textContent()) ?? '';
      await page.goto(`${HOME}/webhook/rotate-secret`);
      await press(page, 'Rotate secret');
      const signing = (await page.locator('#secret').textContent()) ?? '';
      const token = await createToken(page);
      expect(token).to.match(/^zj_/);
      for (const secret of [first, signing]) expect(secret).to.match(/^whsec_/);
      const cookies = await page.context().cookies();
      return new Map([
        ...[SECRET_KEY, ACCESS_KEY, 'a-password', ADA, cookies[0]?.value ?? ''].map(
          (secret) => [secret, 0] as const,
        ),
        ...[first, signing, token].map((secret) => [secret, 1] as const),
      ]);
    }
    async function visitAll(page: Page, { kept }: BrowserTraces): Promise<readonly string[]> {
      const texts: string[] = [];
      for (const path of [
        '',
        '/jobs',
        '/buckets',
        '/buckets/s3/secretive',
        '/tokens',
        '/webhook',
        '/settings',
      ]) {
        await page.goto(`${HOME}${path}`);
        texts.push(await kept());
      }
      return texts;
    }

    it('contains them only in the one response that shows them, and in no URL, storage, history or log', async () => {
      await using open = await openPage(project.server.url);
      await open.signIn(ADA);
      const traces = tracesOf(open.page);
      const secrets = await makeSecrets(open.page);
      const kept = await visitAll(open.page, traces);
      expect(secrets.size).to.equal(8);
      for (const [secret, showings] of secrets) {
        expect(traces.responses.filter((text) => text.includes(secret))).to.have.lengthOf(showings);
        for (const text of [...kept, ...traces.addresses, ...project.server.logLines])
          expect(text).to.not.contain(secret);
      }
      const cookies = await open.page.context().cookies();
      expect(cookies).to.have.lengthOf(1);
      expect(cookies[0]).to.include({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });
      expect(cookies[0]?.name).to.match(/^__Host-/);
    });

    it('does not show them again after going back', async () => {
      await using open = await openAs(project.ada);
      const { page } = open;
      const value = await createToken(page);
      await page.getByRole('link', { name: 'Done', exact: true }).click();
      await page.getByRole('heading', { name: 'Access tokens' }).waitFor();
      // The browser did not cache that page and does not resend the form: it shows its own error.
      const shown = await page.goBack().then(() => page.content(), String);
      expect(value).to.match(/^zj_/);
      expect(shown).to.not.contain(value);
    });
  });
});

/** An address of this machine that browsers do not count as secure: there they send no Sec-Fetch headers over HTTP. */
function outerAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

describe('the dashboard over plain HTTP at an address other than loopback', function () {
  this.timeout(120_000);
  const life = new AsyncDisposableStack();
  let project: DashboardProject;
  before(async function () {
    await requireBrowser(this);
    const host = outerAddress();
    if (host === undefined) return this.skip();
    project = life.use(await startDashboardProject({ DASHBOARD_ALLOW_HTTP: 'true' }, { host }));
  });
  after(() => life.disposeAsync());

  it('signs in and accepts its own forms, whose Origin is its own (N18)', async () => {
    await using open = await openPage(project.server.url);
    const { page } = open;
    const posted = page.waitForRequest((request) => request.method() === 'POST');
    await open.signIn(ADA);
    const headers = await (await posted).allHeaders();
    expect(headers).to.include({ origin: project.server.url }).and.not.have.property('sec-fetch-site');
    await page.goto(`${HOME}/new-token`);
    await press(page, 'Create token');
    await page.getByText('Your new access token').waitFor();
  });

  it('refuses forms of other sites, with or without their origin (N18)', async () => {
    await using open = await openAs(project.ada);
    const named = await submitElsewhere(open, 'unsafe-url');
    expect([named.status, named.sent['origin']]).to.deep.equal([403, 'http://evil.example']);
    const anonymous = await submitElsewhere(open, 'no-referrer');
    expect([anonymous.status, anonymous.sent['origin']]).to.deep.equal([403, 'null']);
    expect(await isSignedIn(open.page)).to.equal(true);
  });

  it('refuses the CSRF token of a session that has ended (N18)', async () => {
    await using open = await openPage(project.server.url);
    const { page } = open;
    await open.signIn(ADA);
    const csrf = await csrfOf(page);
    await page.context().clearCookies();
    await open.signIn(ADA);
    const response = await page.evaluate(async (token) => {
      const body = new URLSearchParams({ csrf: token });
      const reply = await fetch('/sign-out', { method: 'POST', body, redirect: 'manual' });
      return [reply.status, await reply.text()] as const;
    }, csrf);
    expect(response[0]).to.equal(403);
    expect(response[1]).to.contain('This form is out of date');
  });
});
