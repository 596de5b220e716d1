/** The settings of a project and the deliveries of its webhook, in a browser without JavaScript. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { until } from '#test/support/until.ts';
import {
  type DashboardDesk,
  type OpenPage,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';

const NAMESPACE = 'dashboard-project-settings';
const HOME = `/projects/${NAMESPACE}`;
const SETTINGS = `${HOME}/settings`;

describe('the settings of a project in the dashboard', function () {
  this.timeout(240_000);
  let desk: DashboardDesk;
  let token: string;
  const life = new AsyncDisposableStack();
  before(async function () {
    await requireBrowser(this);
    desk = life.use(await startDashboardDesk(NAMESPACE));
    ({ token } = await desk.addUser('ada', 'admin'));
  });
  after(() => life.disposeAsync());

  const openAs = async (bearer: string): Promise<OpenPage> => {
    const open = await desk.open({ javaScriptEnabled: false });
    await open.signIn(bearer);
    return open;
  };
  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  const specOf = async (): Promise<ZipProject['spec']> => {
    const project = JSON.parse(
      await desk.flow.kubectl('get', 'zipproject', PROJECT_NAME, '-o', 'json'),
    ) as ZipProject;
    return project.spec;
  };

  it('saves job defaults, and shows the rules of the API server at their field', async () => {
    await using open = await openAs(token);
    const { page } = open;
    await page.goto(SETTINGS);
    await page.getByRole('link', { name: 'Change job defaults' }).click();
    await page.getByLabel('Attempts').fill('99');
    await page.getByLabel('Tags of archives').fill('team=sales\nstage=live');
    await press(page, 'Save');
    expect(await page.locator('#maxAttempts-error').textContent()).to.contain(
      'Attempts should be less than or equal to 10',
    );
    await page.getByLabel('Attempts').fill('3');
    await press(page, 'Save');
    await page.getByText('Job defaults saved').waitFor();
    expect((await specOf()).jobDefaults).to.deep.equal({
      maxAttempts: 3,
      objectOptions: { tags: { team: 'sales', stage: 'live' } },
    });
    expect(open.complaints).to.deep.equal([]);
  });

  it('keeps the values of a form when someone else has changed them, and then replaces those of the other', async () => {
    await using open = await openAs(token);
    const { page } = open;
    const patch = (spec: object): Promise<string> =>
      desk.flow.kubectl('patch', 'zipproject', PROJECT_NAME, '--type=merge', '-p', JSON.stringify({ spec }));
    await page.goto(`${SETTINGS}/limits`);
    await patch({ limits: { activeJobs: 7 }, displayName: 'Kept' });
    await page.getByLabel('Active jobs').fill('5');
    await press(page, 'Save');
    await page.getByRole('alert').getByText('Someone else changed these settings').waitFor();
    expect(await page.locator('#activeJobs-error').textContent()).to.contain('Active jobs is now: 7');
    expect(await page.getByLabel('Active jobs').inputValue()).to.equal('5');
    await press(page, 'Save');
    await page.getByText('Limits saved').waitFor();
    expect(await specOf()).to.deep.include({ limits: { activeJobs: 5 }, displayName: 'Kept' });
    const row = page.getByRole('row', { name: 'Active jobs' });
    expect(await row.getByRole('cell').allTextContents()).to.deep.equal(['5', '50', '5', 'Project']);
  });

  it('lists who has access, only for users who may list role bindings', async () => {
    await using open = await openAs(token);
    await open.page.goto(SETTINGS);
    const row = open.page.getByRole('row', { name: `${NAMESPACE}/ada` });
    expect(await row.getByRole('cell').allTextContents()).to.include.members(['ServiceAccount', 'admin']);
    await using viewer = await openAs((await desk.addUser('vera', 'view')).token);
    await viewer.page.goto(SETTINGS);
    await viewer.page.getByRole('button', { name: 'Role bindings (locked)' }).click();
    await viewer.page.getByText('not allowed to list rolebindings').waitFor();
    expect(await viewer.page.getByRole('row', { name: `${NAMESPACE}/ada` }).count()).to.equal(0);
    expect(await viewer.page.getByRole('link', { name: /^Change / }).count()).to.equal(0);
  });

  it('lists webhook deliveries with size and attempt, and resends those that failed', async () => {
    const { flow } = desk;
    // The receiver is gone, which ends the attempts and disables the endpoint.
    flow.receiver.responses.push(410);
    const uuid = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a.txt' }]);
    const { body } = await flow.receiver.next((delivery) => delivery.body.includes(uuid), 100_000);
    await using open = await openAs(token);
    const { page } = open;
    const { key } = (await flow.project.zipJob(uuid)).spec;
    const row = page.getByRole('row', { name: key });
    const cells = async (): Promise<string> =>
      (await row.getByRole('cell').allTextContents()).join(' ').replaceAll(/\s+/g, ' ');
    await until('the failed delivery to be listed', async () => {
      await page.goto(`${HOME}/webhook?result=failed`);
      return (await row.count()) === 1;
    });
    expect(await cells()).to.match(
      new RegExp(String.raw`COMPLETED .* Failed HTTP 410 \d+ ms ${Buffer.byteLength(body)} B 1 `),
    );
    await page.getByRole('link', { name: 'Resend failed deliveries…' }).click();
    await page.getByText('The endpoint is disabled after failures').waitFor();
    await page.getByRole('link', { name: 'enable it' }).click();
    await press(page, 'Enable');
    await page.getByText('Webhook enabled').waitFor();
    await row.getByRole('button', { name: 'Resend' }).click();
    await page.getByText(`Webhook of ${key} delivered`).waitFor();
    await until('the delivery to be listed', async () => {
      await page.goto(`${HOME}/webhook?result=delivered`);
      return (await row.count()) === 1;
    });
    expect(await cells()).to.match(/Delivered\s+HTTP 204 .* 1 /);
    expect(flow.receiver.deliveries.filter((delivery) => delivery.body.includes(uuid))).to.have.lengthOf(2);
    await page.getByText('Python', { exact: true }).click();
    expect(await page.locator('details[open] > summary').allTextContents()).to.deep.equal(['Python']);
  });

  // Must be last.
  it('deletes the project with its tokens and buckets, and keeps the namespace', async () => {
    const { flow } = desk;
    await using open = await openAs(token);
    const { page } = open;
    await page.goto(SETTINGS);
    await page.getByRole('link', { name: 'Delete project…' }).click();
    await press(page, 'Delete project');
    await page.locator('#confirm-error').waitFor();
    await page.getByRole('textbox', { name: 'Namespace' }).fill(NAMESPACE);
    await press(page, 'Delete project');
    await page.getByText(`Deleting project ${NAMESPACE} with 1 access token and 1 bucket`).waitFor();
    await until('the project to be gone', async () => {
      const left = await flow.kubectl('get', 'zipprojects,ziptokens,zipbuckets', '-o', 'name');
      return left.trim() === '';
    });
    expect(await flow.kubectl('get', 'serviceaccount', 'ada', '-o', 'name')).to.contain('ada');
  });
});
