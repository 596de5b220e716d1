import { expect } from 'chai';
import { openBrowser } from '../support/browser.ts';
import { createDashboardUser } from '../support/dashboard-users.ts';
import { startFlow } from '../support/flow.ts';
import { installChart, RELEASE_NAMESPACE } from '../support/installation.ts';
import { requireBrowser } from '../support/require-programs.ts';
import { resetInstallation } from '../support/shared-installation.ts';

const NAMESPACE = 'dashboard-release';

describe('the dashboard of an installed chart', function () {
  this.timeout(120_000);
  after(() => resetInstallation());

  it('is served by the pods of the API, with no more rights than they had', async function () {
    await requireBrowser(this);
    await using flow = await startFlow(NAMESPACE);
    const { cluster } = flow;
    await installChart(cluster, { dashboard: { enabled: true } });
    const labels = 'app.kubernetes.io/component=api';
    const address = await cluster.readyPodAddress(RELEASE_NAMESPACE, labels);
    const user = await createDashboardUser(cluster, NAMESPACE, { account: 'ada', role: 'view' });
    await using browser = await openBrowser({ baseURL: `http://${address}:8081` });
    const page = await browser.newPage();
    await page.goto(`/projects/${NAMESPACE}`);
    await page.getByLabel('Kubernetes token').fill(user.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Jobs by state' }).waitFor();
    expect(await page.getByText(user.name).count()).to.equal(1);
  });
});
