import { expect } from 'chai';
import { openBrowser } from '#test/support/browser/browser.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { createDashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { startFlow } from '#test/support/worlds/flow.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';

const NAMESPACE = 'dashboard-release';

describe('the dashboard of an installed chart', function () {
  this.timeout(120_000);
  after(() => resetInstallation());

  it('is served by pods of its own, which need only two lists', async function () {
    await requireBrowser(this);
    await using flow = await startFlow(NAMESPACE);
    const { cluster } = flow;
    await installChart(cluster, { dashboard: { enabled: true } });
    const labels = 'app.kubernetes.io/component=dashboard';
    const address = await cluster.readyPodAddress(RELEASE_NAMESPACE, labels);
    const user = await createDashboardUser(cluster, NAMESPACE, { account: 'ada', role: 'view' });
    await using browser = await openBrowser({ baseURL: `http://${address}:8080` });
    const page = await browser.newPage();
    await page.goto(`/projects/${NAMESPACE}`);
    await page.getByLabel('Kubernetes token').fill(user.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor();
    expect(await page.getByText(user.name).count()).to.equal(1);
  });
});
