import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import {
  issuerUrl,
  signInAtProvider,
  startIdentityProvider,
} from '#test/support/servers/identity-provider.ts';
import { until } from '#test/support/until.ts';
import { type DashboardDesk, startDashboardDesk } from '#test/support/worlds/dashboard-desk.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';

const NAMESPACE = 'dashboard-oidc';
const CLIENT_ID = 'zipjobs-dashboard';
const CLIENT_SECRET = 'a-client-secret-of-the-test';

describe('sign-in to the dashboard with OpenID Connect', function () {
  this.timeout(300_000);
  const started = new AsyncDisposableStack();
  let desk: DashboardDesk;
  before(async function () {
    await requireBrowser(this);
    const cluster = await sharedCluster();
    const folder = await mkdtemp(join(tmpdir(), 'zipjobs-oidc-'));
    started.defer(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'client-secret'), `${CLIENT_SECRET}\n`);
    const [port = 0] = await freePorts(1);
    desk = started.use(
      await startDashboardDesk(NAMESPACE, {
        DASHBOARD_OIDC_ISSUER: issuerUrl(port),
        DASHBOARD_OIDC_CLIENT_ID: CLIENT_ID,
        DASHBOARD_OIDC_CLIENT_SECRET_FILE: join(folder, 'client-secret'),
        DASHBOARD_OIDC_CA_FILE: cluster.apiServer.caPath,
      }),
    );
    await using page = await desk.open();
    await page.page.goto('/sign-in/oidc');
    expect(await page.page.getByRole('alert').textContent()).to.contain(
      'identity provider is not responding',
    );
    started.use(
      await startIdentityProvider(cluster, {
        port,
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        redirectUri: `${desk.url}/sign-in/oidc/callback`,
      }),
    );
    await cluster.trustIssuer({ url: issuerUrl(port), clientId: CLIENT_ID, ca: cluster.apiServer.ca });
    await cluster.kubectl([
      'create',
      'rolebinding',
      'people',
      '-n',
      NAMESPACE,
      '--clusterrole=view',
      '--group=oidc:zip-people',
    ]);
    await until(
      'the API server to trust the issuer',
      async () => {
        const { stdout } = await cluster.kubectl(['get', '--raw', '/metrics']);
        return /authentication_config_controller_automatic_reloads_total\{[^}]*success[^}]*\} [1-9]/.test(
          stdout,
        );
      },
      { limitMs: 180_000, intervalMs: 1_000 },
    );
  });
  after(() => started.disposeAsync());

  it('signs in at the identity provider and returns to the requested page', async () => {
    await using open = await desk.open({ ignoreHTTPSErrors: true });
    const { page } = open;
    await page.goto(`/projects/${NAMESPACE}`);
    await page.getByRole('link', { name: 'Sign in with your organization' }).click();
    await page.waitForURL(/^https:/);
    await signInAtProvider(page, 'grace');
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/projects/${NAMESPACE}`);
    expect(await page.getByRole('button', { name: 'Signed in as oidc:grace' }).count()).to.equal(1);
    const all = await page.context().cookies(desk.url);
    // The identity provider is on another port of the same host, and cookies do not separate ports.
    const cookies = all.filter(({ name }) => name.includes('zipjobs'));
    expect(cookies.map(({ name }) => name)).to.deep.equal(['__Host-zipjobs-session']);
    expect(cookies[0]).to.include({ sameSite: 'Strict', httpOnly: true, secure: true });
    expect(open.complaints).to.deep.equal([]);
    const log = await until('the sign-in to be logged', () => {
      const text = desk.dashboard.lines.join('\n');
      return text.includes('"user":"oidc:grace"') && text;
    });
    expect(log).to.not.contain('eyJ').and.not.contain(CLIENT_SECRET);
  });

  it('accepts a callback only in the browser that started it, and only once', async () => {
    await using open = await desk.open({ ignoreHTTPSErrors: true });
    await using other = await desk.open();
    const { page } = open;
    const responses: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/sign-in/oidc/callback')) responses.push(request.url());
    });
    await page.goto('/sign-in/oidc');
    await page.waitForURL(/^https:/);
    await signInAtProvider(page, 'grace');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    for (const each of [page, other.page]) {
      await each.goto(responses[0] ?? '');
      expect(await each.getByRole('alert').textContent()).to.contain('not started in this browser');
    }
    expect(await other.page.context().cookies()).to.deep.equal([]);
  });

  it('refuses a callback of another sign-in', async () => {
    await using open = await desk.open({ ignoreHTTPSErrors: true });
    const { page } = open;
    await page.goto('/sign-in/oidc');
    await page.goto(`${desk.url}/sign-in/oidc/callback?code=stolen&state=of-another`);
    expect(await page.getByRole('alert').textContent()).to.contain('did not sign you in');
    await page.goto('/projects');
    expect(new URL(page.url()).pathname).to.equal('/sign-in');
  });
});
