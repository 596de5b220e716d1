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

/** Each test sends every form of one page by Tab, Space, Enter and letters. */
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

  it('make a project, and say what is wrong', async () => {
    await keyboard.follow('New project');
    await keyboard.type('Namespace', NAMESPACE);
    await keyboard.type('Name that people see', 'A project');
    await keyboard.press('Create project');
    await page.locator('#namespace-error').waitFor();
    // From the list of what is wrong straight to the field.
    await keyboard.reach(page.getByRole('link', { name: 'A project already exists' }));
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).to.equal('#namespace');
  });

  it('choose a project and the colours', async () => {
    await page.goto('/projects');
    await keyboard.reach(page.locator('summary').first());
    await page.keyboard.press('Enter');
    await keyboard.follow(page.locator('.menu').getByRole('link', { name: NAMESPACE }));
    await keyboard.press('Dark');
    expect(await page.locator('html').getAttribute('data-theme')).to.equal('dark');
    expect(new URL(page.url()).pathname).to.equal(HOME);
  });

  it('add a bucket, change its credentials, test and delete it', async () => {
    await page.goto(HOME);
    await keyboard.follow('Buckets');
    await keyboard.follow('Add an s3 bucket');
    await keyboard.type('Bucket Name', 'by-keyboard');
    await keyboard.type('Access Key ID', 'AKIAEXAMPLEKEY');
    await keyboard.type('Secret Access Key', 'a-secret');
    await keyboard.type('Region', 'eu-central-1');
    await keyboard.press('Add bucket');
    await page.getByText('The bucket by-keyboard is stored').waitFor();
    await keyboard.follow('Update the credentials');
    await keyboard.type('Access Key ID', 'AKIAEXAMPLEKEY');
    await keyboard.type('Secret Access Key', 'another-secret');
    await keyboard.press('Replace the credentials');
    await page.getByText('The new credentials are stored').waitFor();
    await keyboard.press('Test the connection');
    await page.getByText('Being tested').waitFor();
    await keyboard.follow('Look again');
    await keyboard.follow('Delete');
    await keyboard.press('Delete bucket');
    await page.getByText('The bucket by-keyboard').waitFor();
  });

  it('make an access token and revoke it', async () => {
    await page.goto(HOME);
    await keyboard.follow('Access tokens');
    await keyboard.follow('New token');
    await keyboard.type('Name', 'by keyboard');
    await keyboard.toggle('Ask for archives');
    await keyboard.press('Create token');
    expect(await page.locator('#token').textContent()).to.match(/^zj_/);
    expect(await page.locator('dd', { hasText: 'read' }).textContent()).to.equal('read');
    await keyboard.follow('I have kept it: to the access tokens');
    await keyboard.follow('Revoke by keyboard');
    await keyboard.press('Revoke token');
    await page.getByText('The token by keyboard opens nothing any more.').waitFor();
  });

  it('change the webhook, test it, switch it off and on, renew its secret and remove it', async () => {
    await page.goto(HOME);
    await keyboard.follow('Webhook');
    await keyboard.press('Send a test');
    await page
      .getByText(/Being sent|HTTP 2\d\d/)
      .first()
      .waitFor();
    await keyboard.press('Switch off');
    await page.getByText('Switched off', { exact: true }).waitFor();
    await keyboard.press('Switch on again');
    await page.getByText('The webhook is switched on.').waitFor();
    await keyboard.type('URL', `${desk.flow.receiver.url}/moved`);
    await keyboard.toggle('A job has failed');
    await keyboard.press('Save');
    await page.getByText('The settings are stored.').waitFor();
    expect(await page.getByLabel('A job has failed').isChecked()).to.equal(false);
    await keyboard.follow('New signing secret');
    await keyboard.reach(page.getByLabel('How long the old one signs as well'));
    await page.keyboard.press('ArrowDown');
    await keyboard.press('Make a new secret');
    expect(await page.locator('#secret').textContent()).to.match(/^whsec_/);
    await keyboard.follow('I have kept it: to the webhook');
    await keyboard.follow('Remove');
    await keyboard.toggle('Remove the signing secret as well');
    await keyboard.press('Remove webhook');
    await page.getByText('No webhook is set.').waitFor();
  });

  it('find a job and run it again', async () => {
    const uuid = await desk.flow.post([{ url: desk.flow.origin.url('/status/404'), filename: 'a' }]);
    await desk.flow.project.untilPhase(uuid, ['Failed']);
    await page.goto(HOME);
    await keyboard.follow('Jobs');
    await keyboard.type('Id or key', uuid);
    await keyboard.reach(page.getByLabel('Made in'));
    await page.keyboard.press('ArrowDown');
    await keyboard.press('Search');
    expect(page.url()).to.contain(`q=${uuid}`).and.contain('within=1h');
    await keyboard.follow('posted-1.zip');
    await keyboard.follow('Show the last lines');
    await keyboard.press('Run again');
    await page.getByText(`This is a new job with the files of zip-${uuid}.`).waitFor();
  });

  it('sign out', async () => {
    await page.goto('/projects');
    await keyboard.reach(page.locator('summary', { hasText: 'Signed in as' }));
    await page.keyboard.press('Enter');
    await keyboard.press('Sign out everywhere');
    await page.getByText('You are signed out in every browser.').waitFor();
    expect(open.complaints).to.deep.equal([]);
  });
});
