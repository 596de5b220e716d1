import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import {
  type DashboardDesk,
  type OpenPage,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';
import type { DashboardUser } from '#test/support/worlds/dashboard-users.ts';

const NAMESPACE = 'dashboard-http';
const EVIL = 'http://evil.example/';

/** An address of this machine that browsers do not count as secure: there they send no Sec-Fetch headers over HTTP. */
const outerAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe('the dashboard over plain HTTP at an address other than loopback', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let desk: DashboardDesk;
  let admin: DashboardUser;
  let baseURL: string;
  before(async function () {
    await requireBrowser(this);
    const address = outerAddress();
    if (address === undefined) return this.skip();
    const env = { HOST: '', DASHBOARD_URL: '', DASHBOARD_ALLOW_HTTP: 'true' };
    desk = life.use(await startDashboardDesk(NAMESPACE, env));
    baseURL = `http://${address}:${new URL(desk.url).port}`;
    admin = await desk.addUser('ada', 'admin');
  });
  after(() => life.disposeAsync());

  const createToken = async ({ page }: OpenPage, name: string): Promise<void> => {
    await page.goto(`/projects/${NAMESPACE}/tokens`);
    await page.getByRole('link', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create token' }).click();
  };

  /** Submits a form of another site in the browser of the user. Returns the status and the headers that were sent. */
  const submitElsewhere = async ({ page }: OpenPage, policy: string, csrf: string) => {
    const body = `<form method="post" action="${baseURL}/sign-out"><input name="csrf" value="${csrf}"><button>Win</button></form>`;
    await page.route(EVIL, (route) =>
      route.fulfill({ contentType: 'text/html', headers: { 'Referrer-Policy': policy }, body }),
    );
    await page.goto(EVIL);
    const [response] = await Promise.all([
      page.waitForResponse((reply) => reply.url().endsWith('/sign-out')),
      page.getByRole('button', { name: 'Win' }).click(),
    ]);
    await page.unroute(EVIL);
    return { status: response.status(), sent: await response.request().allHeaders() };
  };

  it('signs in and accepts its own forms, whose Origin is its own (N18)', async () => {
    await using open = await desk.open({ baseURL });
    const { page } = open;
    const posted = page.waitForRequest((request) => request.method() === 'POST');
    await open.signIn(admin.token);
    const headers = await (await posted).allHeaders();
    expect(headers).to.include({ origin: baseURL }).and.not.have.property('sec-fetch-site');
    await createToken(open, 'over-http');
    await page.getByText('Your new access token').waitFor();
  });

  it('refuses forms of other sites, with or without their origin (N18)', async () => {
    await using open = await desk.open({ baseURL });
    const { page } = open;
    await open.signIn(admin.token);
    const csrf = (await page.locator('input[name=csrf]').first().getAttribute('value')) ?? '';
    const named = await submitElsewhere(open, 'unsafe-url', csrf);
    expect([named.status, named.sent['origin']]).to.deep.equal([403, 'http://evil.example']);
    const anonymous = await submitElsewhere(open, 'no-referrer', csrf);
    expect([anonymous.status, anonymous.sent['origin']]).to.deep.equal([403, 'null']);
    await page.goto('/projects');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
  });

  it('refuses the CSRF token of a session that has ended (N18)', async () => {
    await using open = await desk.open({ baseURL });
    const { page } = open;
    await open.signIn(admin.token);
    const csrf = (await page.locator('input[name=csrf]').first().getAttribute('value')) ?? '';
    await page.context().clearCookies();
    await open.signIn(admin.token);
    const response = await page.evaluate(async (token) => {
      const body = new URLSearchParams({ csrf: token });
      const reply = await fetch('/sign-out', { method: 'POST', body, redirect: 'manual' });
      return [reply.status, await reply.text()] as const;
    }, csrf);
    expect(response[0]).to.equal(403);
    expect(response[1]).to.contain('This form is out of date');
  });
});
