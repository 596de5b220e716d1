import { expect } from 'chai';
import { Redis } from 'ioredis';
import { findProgram } from '#test/support/find-program.ts';
import { requireBrowser, requirePrograms } from '#test/support/processes/require-programs.ts';
import { type RedisServer, startRedisServer } from '#test/support/servers/redis-server.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { type DashboardDesk, startDashboardDesk } from '#test/support/worlds/dashboard-desk.ts';
import type { DashboardUser } from '#test/support/worlds/dashboard-users.ts';

const NAMESPACE = 'dashboard';

describe('the dashboard in a browser', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let redis: RedisServer | undefined;
  let desk: DashboardDesk;
  let admin: DashboardUser;
  before(async function () {
    await requireBrowser(this);
    // Without Redis the dashboard keeps the sessions in its memory, which most of these tests would not notice.
    if ((await findProgram('redis-server')) !== undefined) redis = life.use(await startRedisServer());
    desk = life.use(await startDashboardDesk(NAMESPACE, redis === undefined ? {} : { REDIS_URL: redis.url }));
    admin = await desk.addUser('ada', 'admin');
  });
  after(() => life.disposeAsync());

  const requireRedis = async (context: Mocha.Context): Promise<RedisServer> => {
    await requirePrograms(context, ['redis-server']);
    return redis ?? expect.fail('redis-server was not started');
  };

  it('signs in by keyboard alone', async () => {
    await using open = await desk.open();
    const { page } = open;
    await page.goto('/');
    // After the skip link and the product name.
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab');
    await page.keyboard.type(admin.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    expect(await page.getByText(admin.name).count()).to.equal(1);
    expect(open.complaints).to.deep.equal([]);
  });

  it('explains why a token is rejected', async () => {
    await using open = await desk.open();
    const { page } = open;
    await page.goto('/sign-in');
    await page.getByLabel('Kubernetes token').fill(`${admin.token.slice(0, -4)}AAAA`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).to.contain('rejected this token');
    expect(await page.getByLabel('Kubernetes token').inputValue()).to.equal('');
  });

  it('hides the token from scripts, the page and Redis', async function () {
    const { url } = await requireRedis(this);
    await using open = await desk.open();
    const { page } = open;
    await open.signIn(admin.token);
    const cookies = await page.context().cookies();
    expect(cookies).to.have.lengthOf(1);
    expect(cookies[0]).to.include({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });
    expect(cookies[0]?.name).to.match(/^__Host-/);
    const seen = await page.evaluate(() => {
      const { document, localStorage, sessionStorage, location } = globalThis as unknown as {
        document: { cookie: string; documentElement: { outerHTML: string } };
        localStorage: object;
        sessionStorage: object;
        location: { href: string };
      };
      return [
        document.cookie,
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
        location.href,
        document.documentElement.outerHTML,
      ].join('\n');
    });
    const client = new Redis(url);
    const keys = await client.keys('*session:*');
    const kept = await Promise.all(keys.map((key) => client.get(key)));
    client.disconnect();
    expect(keys).to.not.deep.equal([]);
    for (const text of [seen, ...keys, ...kept, ...desk.dashboard.lines])
      expect(text).to.not.contain(admin.token).and.not.contain(cookies[0]?.value);
  });

  it('shows a running job in the overview without a reload', async () => {
    await using open = await desk.open();
    const { page } = open;
    await open.signIn(admin.token);
    await page.getByRole('link', { name: NAMESPACE }).first().click();
    await page.getByText('No jobs yet').waitFor();
    // A focused section is not refreshed.
    await page.getByRole('heading', { level: 1 }).click();
    const uuid = await desk.flow.post([{ url: desk.flow.origin.url('/a.txt'), filename: 'a.txt' }]);
    await page.getByText('No jobs yet').waitFor({ state: 'detached' });
    await desk.flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    await page
      .locator('.figures div')
      .filter({ hasText: /^(Succeeded|Failed)\s*1$/ })
      .waitFor();
    await page.getByText('Show data').click();
    expect(await page.getByRole('columnheader', { name: 'Succeeded' }).isVisible()).to.equal(true);
    expect(open.complaints).to.deep.equal([]);
  });

  it('works without JavaScript, on a phone', async () => {
    await using open = await desk.open({ javaScriptEnabled: false, viewport: { width: 375, height: 700 } });
    const { page } = open;
    await open.signIn(admin.token);
    await page.getByRole('link', { name: 'New project' }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).to.equal('dark');
    await page.getByRole('textbox', { name: 'Namespace' }).fill(NAMESPACE);
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.locator('#namespace-error').waitFor();
    expect(await page.locator('#namespace-error').textContent()).to.contain('A project already exists');
    await page.getByRole('button', { name: 'Signed in as' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('You are signed out.').waitFor();
    await page.goto('/projects');
    await page.getByLabel('Kubernetes token').waitFor();
  });

  it('creates a project with the permissions of the user', async () => {
    const { cluster } = desk.flow;
    await cluster.kubectl(['create', 'namespace', 'dashboard-new']);
    await using open = await desk.open();
    const { page } = open;
    await open.signIn(admin.token);
    const create = async (): Promise<void> => {
      await page.goto('/new-project');
      await page.getByRole('textbox', { name: 'Namespace' }).fill('dashboard-new');
      await page.getByLabel('Display name').fill('Made here');
      await page.getByRole('button', { name: 'Create project' }).click();
    };
    await create();
    await page.locator('#namespace-error').waitFor();
    expect(await page.locator('#namespace-error').textContent()).to.contain(
      'cannot create zipprojects.zipjobs.dev in namespace dashboard-new',
    );
    await cluster.kubectl([
      'create',
      'rolebinding',
      'ada',
      '-n',
      'dashboard-new',
      '--clusterrole=admin',
      `--serviceaccount=${NAMESPACE}:ada`,
    ]);
    const resource = 'zipprojects.zipjobs.dev';
    await untilAllowed(cluster, { user: admin.name, verb: 'create', resource, namespace: 'dashboard-new' });
    await create();
    await page.getByText('Project created in namespace dashboard-new').waitFor();
    await until('the new project to be listed', async () => {
      await page.goto('/projects');
      return (await page.getByRole('rowheader', { name: 'Made here' }).count()) === 1;
    });
  });

  it('shows nothing of a project to a user without permissions in it', async () => {
    const stranger = await desk.addUser('stranger');
    await using open = await desk.open();
    const { page } = open;
    await open.signIn(stranger.token);
    await page.getByText('No projects you can access').waitFor();
    const reply = await page.goto(`/projects/${NAMESPACE}`);
    expect(reply?.status()).to.equal(403);
    await page.getByText('is not allowed to get zipprojects').waitFor();
  });

  it('applies a removed RoleBinding and a revoked token on the next request', async () => {
    const removedUser = await desk.addUser('leaver', 'view');
    await using open = await desk.open();
    const { page } = open;
    await open.signIn(removedUser.token);
    const visit = async (): Promise<number> => (await page.goto(`/projects/${NAMESPACE}`))?.status() ?? 0;
    expect(await visit()).to.equal(200);
    await removedUser.dropRole();
    // The authorizer of the API server learns of it from a watch.
    await until('the authorizer to apply it', async () => {
      const { exitCode } = await desk.flow.cluster.kubectl(
        ['auth', 'can-i', 'get', 'zipprojects', '-n', NAMESPACE, `--as=${removedUser.name}`],
        { allowFailure: true },
      );
      return exitCode !== 0;
    });
    expect(await visit()).to.equal(403);
    await removedUser.revoke();
    await until('the session to end', async () => {
      await visit();
      return new URL(page.url()).pathname === '/sign-in';
    });
    await page.getByText('no longer accepts your token').waitFor();
    expect(await page.context().cookies()).to.deep.equal([]);
  });

  it('refuses a form that another site sends with the cookies of the user', async () => {
    await using open = await desk.open();
    const { page } = open;
    await open.signIn(admin.token);
    const csrf = (await page.locator('input[name=csrf]').first().getAttribute('value')) ?? '';
    await page.route('http://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${desk.url}/sign-out"><input name="csrf" value="${csrf}"><button>Win a prize</button></form>`,
      }),
    );
    await page.goto('http://evil.example/');
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/sign-out')),
      page.getByRole('button', { name: 'Win a prize' }).click(),
    ]);
    expect(reply.status()).to.equal(403);
    await page.goto('/projects');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
  });

  it('follows a link from another site without a second sign-in', async () => {
    await using open = await desk.open();
    const { page } = open;
    await open.signIn(admin.token);
    const link = `<a href="${desk.url}/projects/${NAMESPACE}">the project</a>`;
    await page.route('http://mail.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: link }),
    );
    await page.goto('http://mail.example/');
    await page.getByRole('link', { name: 'the project' }).click();
    await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor();
  });

  it('asks to sign in again while Redis is down, and never responds 500', async function () {
    const server = await requireRedis(this);
    await using open = await desk.open();
    const { page } = open;
    await open.signIn(admin.token);
    await server.kill();
    const reply = await page.goto('/projects');
    expect(reply?.status()).to.equal(200);
    await page.getByText('The session store is not responding').waitFor();
    await page.getByLabel('Kubernetes token').fill(admin.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await server.start();
    await until('sign-in to work again', async () => {
      await open.signIn(admin.token);
      return true;
    });
  });
});
