import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Keyboard, keyboardOf } from '#test/support/browser/keyboard.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import {
  type DashboardDesk,
  type OpenPage,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';

const NAMESPACE = 'dashboard-keyboard';
const HOME = `/projects/${NAMESPACE}`;

/** Each test submits every form of one page with Tab, Space, Enter and text keys. */
describe('the forms of the dashboard by keyboard alone, without JavaScript', function () {
  this.timeout(180_000);
  const started = new AsyncDisposableStack();
  let desk: DashboardDesk;
  let open: OpenPage;
  let page: Page;
  let keyboard: Keyboard;
  before(async function () {
    await requireBrowser(this);
    desk = started.use(await startDashboardDesk(NAMESPACE));
    const user = await desk.addUser('ada', 'admin');
    open = started.use(await desk.open({ javaScriptEnabled: false }));
    page = open.page;
    keyboard = keyboardOf(page);
    await page.goto('/');
    await keyboard.type('Kubernetes token', user.token);
    await keyboard.press('Sign in');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
  });
  after(() => started.disposeAsync());

  it('create a project, and show errors', async () => {
    await keyboard.follow('New project');
    await keyboard.type('Namespace', NAMESPACE);
    await keyboard.type('Display name', 'A project');
    await keyboard.press('Create project');
    await page.locator('#namespace-error').waitFor();
    // The list of errors links to the field.
    await keyboard.reach(page.getByRole('link', { name: 'A project already exists' }));
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).to.equal('#namespace');
  });

  it('choose a project and the theme', async () => {
    await page.goto('/projects');
    await keyboard.reach(page.getByRole('button', { name: 'Project: Choose a project' }));
    await page.keyboard.press('Enter');
    await keyboard.follow(page.locator('#switcher').getByRole('link', { name: NAMESPACE }));
    await keyboard.press('Dark');
    expect(await page.locator('html').getAttribute('data-theme')).to.equal('dark');
    expect(new URL(page.url()).pathname).to.equal(HOME);
  });

  it('add a bucket, change its credentials, test and delete it', async () => {
    await page.goto(HOME);
    await keyboard.follow('Buckets');
    await keyboard.follow('Add bucket');
    await keyboard.type('Bucket name', 'by-keyboard');
    await keyboard.type('Region', 'eu-central-1');
    await keyboard.type('Access key ID', 'AKIAEXAMPLEKEY');
    await keyboard.type('Secret access key', 'a-secret');
    await keyboard.press('Save and test');
    await page.getByText('Bucket by-keyboard added.').waitFor();
    await keyboard.follow('Update credentials');
    await keyboard.type('Access key ID', 'AKIAEXAMPLEKEY');
    await keyboard.type('Secret access key', 'another-secret');
    await keyboard.press('Save and test');
    await page.getByText('Credentials updated.').waitFor();
    await keyboard.follow('Edit settings');
    await keyboard.type('Region', 'us-east-1');
    await keyboard.press('Save and test');
    await page.getByText('Settings saved.').waitFor();
    await keyboard.press('Test connection');
    await page.getByText('Testing', { exact: true }).waitFor();
    await keyboard.follow('Refresh');
    await keyboard.follow('Delete bucket');
    await keyboard.press('Delete bucket');
    await page.getByText(/Bucket by-keyboard (and its credentials deleted|is marked for deletion)/).waitFor();
  });

  it('create a test archive and a job', async () => {
    await page.goto(HOME);
    const menu = page.getByRole('navigation', { name: 'Project', exact: true });
    await keyboard.follow(menu.getByRole('link', { name: 'First steps' }));
    await keyboard.press('Create test archive');
    await page.getByText('The job for the test archive was created.').waitFor();
    await keyboard.follow('New job with your own files');
    await keyboard.press('Create job');
    await page.locator('#key-error').waitFor();
    await keyboard.type('Key', 'by-keyboard.zip');
    await keyboard.type('Files', 'data:,hello note.txt');
    await keyboard.press('Create job');
    await page.getByText('Job created').waitFor();
  });

  it('create an access token and revoke it', async () => {
    await page.goto(HOME);
    await keyboard.follow('Access tokens');
    await keyboard.follow('Create token');
    await keyboard.type('Name', 'by keyboard');
    await keyboard.toggle('Create jobs');
    await keyboard.press('Create token');
    expect(await page.locator('#token').textContent()).to.match(/^zj_/);
    expect(await page.locator('dd', { hasText: 'read' }).textContent()).to.equal('read');
    await keyboard.follow('Done');
    await keyboard.follow('Revoke by keyboard');
    await keyboard.press('Revoke token');
    await page.getByText('Token by keyboard revoked').waitFor();
  });

  it('change the webhook, test it, disable and enable it, rotate its secret and remove it', async () => {
    await page.goto(HOME);
    await keyboard.follow('Webhook');
    await keyboard.press('Send test');
    await page
      .getByText(/Sending|HTTP 2\d\d/)
      .first()
      .waitFor();
    await keyboard.press('Disable');
    await page.getByText('Disabled', { exact: true }).waitFor();
    await keyboard.press('Enable');
    await page.getByText('Webhook enabled').waitFor();
    await keyboard.type('URL', `${desk.flow.receiver.url}/moved`);
    await keyboard.toggle('Job failed');
    await keyboard.press('Save');
    await page.getByText('Webhook settings saved').waitFor();
    expect(await page.getByLabel('Job failed').isChecked()).to.equal(false);
    await keyboard.follow('Rotate secret');
    await keyboard.reach(page.getByLabel('Keep the old secret valid for'));
    await page.keyboard.press('ArrowDown');
    await keyboard.press('Rotate secret');
    expect(await page.locator('#secret').textContent()).to.match(/^whsec_/);
    await keyboard.follow('Done');
    await keyboard.follow('Remove webhook');
    await keyboard.toggle('Also remove the signing secret');
    await keyboard.press('Remove webhook');
    await page.getByText('No webhook yet').waitFor();
  });

  it('find a job and run it again', async () => {
    const uuid = await desk.flow.post([{ url: desk.flow.origin.url('/status/404'), filename: 'a' }]);
    await desk.flow.project.untilPhase(uuid, ['Failed']);
    await page.goto(HOME);
    await keyboard.follow('Jobs');
    await keyboard.type('ID or key', uuid);
    await keyboard.reach(page.getByLabel('Created', { exact: true }));
    await page.keyboard.press('ArrowDown');
    await keyboard.press('Search');
    expect(page.url()).to.contain(`q=${uuid}`).and.contain('within=1h');
    await keyboard.follow('posted-1.zip');
    await keyboard.follow('Show last lines');
    await keyboard.press('Run again');
    await page.getByText(`New job created with the files of zip-${uuid}`).waitFor();
    const rerun = page.url();
    await keyboard.follow(`zip-${uuid}`);
    await page.getByRole('heading', { name: 'Why this job failed' }).waitFor();
    await keyboard.follow(page.getByRole('list', { name: 'Reruns of this job' }).getByRole('link').first());
    expect(page.url()).to.equal(rerun);
    await keyboard.reach(page.locator('summary', { hasText: 'Show events and conditions' }));
    await page.keyboard.press('Enter');
    await page.getByText('JobCreated').first().waitFor();
  });

  it('sign out', async () => {
    await page.goto('/projects');
    await keyboard.reach(page.getByRole('button', { name: 'Signed in as' }));
    await page.keyboard.press('Enter');
    await keyboard.press('Sign out everywhere');
    await page.getByText('You are signed out in every browser.').waitFor();
    expect(open.complaints).to.deep.equal([]);
  });
});
