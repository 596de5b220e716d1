/** Every form of the dashboard by keyboard alone, without JavaScript, with the rules and roles of a real API server. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { type Keyboard, keyboardOf } from '#test/support/browser/keyboard.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import {
  type DashboardDesk,
  type OpenPage,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';
import type { DashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';

const NAMESPACE = 'dashboard-forms';
const OTHER = `${NAMESPACE}-other`;
const HOME = `/projects/${NAMESPACE}`;
const SETTINGS = `${HOME}/settings`;

/** Each test submits every form of one page with Tab, Space, Enter and text keys. */
describe('the forms of the dashboard by keyboard alone, without JavaScript', function () {
  this.timeout(180_000);
  const started = new AsyncDisposableStack();
  let desk: DashboardDesk;
  let user: DashboardUser;
  let open: OpenPage;
  let page: Page;
  let keyboard: Keyboard;
  /** UUIDs of jobs. */
  let failing: string;
  let endless: string;
  before(async function () {
    await requireBrowser(this);
    desk = started.use(await startDashboardDesk(NAMESPACE));
    const { flow } = desk;
    failing = await flow.post([{ url: flow.origin.url('/status/404'), filename: 'a' }]);
    endless = await flow.post([{ url: flow.origin.url('/silent'), filename: 'a' }]);
    user = await desk.addUser('ada', 'admin');
    open = started.use(await desk.open({ javaScriptEnabled: false }));
    page = open.page;
    keyboard = keyboardOf(page);
    await page.goto('/');
    await keyboard.type('Kubernetes token', user.token);
    await keyboard.press('Sign in');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
  });
  after(() => started.disposeAsync());

  async function specOf(): Promise<ZipProject['spec']> {
    const text = await desk.flow.kubectl('get', 'zipproject', PROJECT_NAME, '-o', 'json');
    return (JSON.parse(text) as ZipProject).spec;
  }

  /** The menu of a title row. */
  async function openMore(): Promise<void> {
    await keyboard.reach(page.getByRole('button', { name: 'More actions' }));
    await page.keyboard.press('Enter');
  }

  it('create a project with the permissions of the user, and show errors', async () => {
    const { cluster } = desk.flow;
    await cluster.kubectl(['create', 'namespace', OTHER]);
    await page.goto('/projects');
    await keyboard.follow('New project');
    async function create(namespace: string): Promise<void> {
      await keyboard.type('Namespace', namespace);
      await keyboard.type('Display name', 'Made here');
      await keyboard.press('Create project');
    }
    const error = page.locator('#namespace-error');
    await create(NAMESPACE);
    // The list of errors links to the field.
    await keyboard.reach(page.getByRole('link', { name: 'A project already exists' }));
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).to.equal('#namespace');
    await create(OTHER);
    expect(await error.textContent()).to.contain(
      `cannot create zipprojects.zipjobs.dev in namespace ${OTHER}`,
    );
    const account = `--serviceaccount=${NAMESPACE}:ada`;
    await cluster.kubectl(['create', 'rolebinding', 'ada', '-n', OTHER, '--clusterrole=admin', account]);
    const resource = 'zipprojects.zipjobs.dev';
    await untilAllowed(cluster, { user: user.name, verb: 'create', resource, namespace: OTHER });
    await create(OTHER);
    await page.getByText(`Project created in namespace ${OTHER}`).waitFor();
    await until('the new project to be listed', async () => {
      await page.goto('/projects');
      return (await page.getByRole('rowheader', { name: 'Made here' }).count()) === 1;
    });
  });

  it('add a bucket, change its credentials, test and delete it', async () => {
    await page.goto(HOME);
    await keyboard.follow('Buckets');
    await keyboard.follow('New bucket');
    await keyboard.type('Bucket name', 'by-keyboard');
    await keyboard.type('Region', 'eu-central-1');
    await keyboard.type('Access key ID', 'AKIAEXAMPLEKEY');
    await keyboard.type('Secret access key', 'a-secret');
    await keyboard.press('Save and test');
    await page.getByText('Bucket by-keyboard added.').waitFor();
    await openMore();
    await keyboard.follow('Update credentials');
    await keyboard.type('Access key ID', 'AKIAEXAMPLEKEY');
    await keyboard.type('Secret access key', 'another-secret');
    await keyboard.press('Save and test');
    await page.getByText('Credentials updated.').waitFor();
    await keyboard.press('Test connection');
    await page.getByText('Testing', { exact: true }).waitFor();
    await keyboard.follow('Refresh');
    await openMore();
    await keyboard.follow('Delete bucket');
    await keyboard.press('Delete bucket');
    await page.getByText(/Bucket by-keyboard (and its credentials deleted|is marked for deletion)/).waitFor();
  });

  it('create a job, and show errors', async () => {
    await page.goto(`${HOME}/new-job`);
    await keyboard.press('Create job');
    await page.locator('#key-error').waitFor();
    await keyboard.type('Key (required)', 'by-keyboard.zip');
    await keyboard.type('Files', 'data:,hello note.txt');
    await keyboard.press('Create job');
    await page.getByText('Job created').waitFor();
  });

  it('create a corrected job from the list of a failed one (Q-U22)', async () => {
    const { origin, project } = desk.flow;
    await project.untilPhase(failing, ['Failed']);
    await page.goto(`${HOME}/new-job?from=${failing}`);
    const files = page.locator('#urls');
    expect(await files.inputValue()).to.equal(`${origin.url('/status/404')} a`);
    expect(await page.locator('#key').inputValue()).to.not.equal('');
    await keyboard.type('Files', 'data:,hello a');
    await keyboard.press('Create job');
    await page.getByText('Job created').waitFor();
    await project.untilPhase(page.url().slice(-36), ['Succeeded']);
  });

  it('find a job by its ID and cancel it', async () => {
    await page.goto(HOME);
    await keyboard.type('Find a job by key or ID', endless);
    await keyboard.press('Find job');
    await keyboard.reach(page.getByRole('button', { name: 'Cancel job…' }));
    await page.keyboard.press('Enter');
    await keyboard.press('Cancel job');
    await page.getByText('Cancellation requested. Any partial upload is removed.').waitFor();
    await desk.flow.project.untilPhase(endless, ['Cancelled']);
  });

  it('search for a job and run it again', async () => {
    await desk.flow.project.untilPhase(failing, ['Failed']);
    await page.goto(HOME);
    await keyboard.follow('Jobs');
    await keyboard.type('Filter by key or ID', failing);
    await keyboard.reach(page.getByRole('button', { name: 'Created' }));
    await page.keyboard.press('Enter');
    await keyboard.reach(page.getByRole('group', { name: 'Created' }).getByLabel('Any time'));
    await page.keyboard.press('ArrowDown');
    await Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press('Enter')]);
    expect(page.url()).to.contain(`q=${failing}`).and.contain('within=1h');
    await keyboard.follow(page.locator('table.jobs tbody a.row'));
    await keyboard.reach(page.getByRole('link', { name: 'Show last lines' }));
    await page.keyboard.press('Enter');
    await page.locator('#log-lines').waitFor();
    await keyboard.reach(page.getByRole('button', { name: 'More actions' }));
    await page.keyboard.press('Enter');
    await keyboard.press('Run again');
    await page.getByText(`New job created with the files of zip-${failing}`).waitFor();
    await keyboard.reach(page.locator('summary', { hasText: 'Kubernetes' }));
    await page.keyboard.press('Enter');
    await page.locator('.timeline').waitFor();
  });

  it('create an access token, which the API accepts until it is revoked (H11)', async () => {
    const { baseUrl } = desk.flow;
    await page.goto(HOME);
    await keyboard.follow('Access tokens');
    await keyboard.follow('New access token');
    await keyboard.type('Name', 'by keyboard');
    await keyboard.toggle('Create jobs');
    await keyboard.press('Create token');
    const token = (await page.locator('#token').textContent()) ?? '';
    expect(token).to.match(/^zj_/);
    expect(await page.locator('dd', { hasText: 'read' }).textContent()).to.equal('read');
    await untilTokenKnown(baseUrl, token);
    await keyboard.follow('Done');
    await keyboard.follow('Revoke by keyboard');
    await keyboard.press('Revoke token');
    await page.getByText('Token by keyboard revoked').waitFor();
    async function ask(): Promise<number> {
      return (await askApi(baseUrl, { path: '/v1/zips/none', token })).status;
    }
    await until('the API to refuse it', async () => (await ask()) === 401);
  });

  it('resend a webhook that failed, test the webhook, change it and rotate its secret', async () => {
    const { flow } = desk;
    // The receiver is gone, which ends the attempts and disables the endpoint.
    flow.receiver.responses.push(410);
    await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a.txt' }]);
    const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') });
    const zipJobs = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipjobs`;
    await until('a delivery to fail', async () => {
      const { items } = await flow.cluster.read<{ readonly items: readonly ZipJob[] }>(zipJobs);
      return items.some(({ status }) => status?.webhook?.state === 'Exhausted');
    });
    await until('the failed delivery to be listed', async () => {
      await page.goto(`${HOME}/webhook/deliveries?result=failed`);
      return (await rows.count()) === 1;
    });
    const [key = ''] = await rows.getByRole('rowheader').allTextContents();
    const href = (await rows.getByRole('link').getAttribute('href')) ?? '';
    function sent() {
      return flow.receiver.deliveries.filter(({ body }) => body.includes(href.slice(-36)));
    }
    async function textOf(row: Locator): Promise<string> {
      return (await row.getByRole('cell').allTextContents()).join(' ').replaceAll(/\s+/g, ' ');
    }
    expect(await textOf(rows)).to.match(
      new RegExp(String.raw`Failed HTTP 410 \d+ ms ${Buffer.byteLength(sent()[0]?.body ?? '')} B 1 `),
    );
    await keyboard.follow(
      page.locator('#delivery-filters').getByRole('link', { name: 'Resend failed deliveries…' }),
    );
    await page.getByText('The endpoint is disabled after failures').waitFor();
    await keyboard.follow('enable it');
    await keyboard.press('Enable');
    await page.getByText('Webhook enabled').waitFor();
    await keyboard.follow('Deliveries');
    await keyboard.press(`Resend the webhook of ${key}`);
    await page.getByText(`Webhook of ${key} delivered`).waitFor();
    const delivered = rows.filter({ has: page.locator(`a[href="${href}"]`) });
    expect(await textOf(delivered)).to.match(/Delivered HTTP 204 .* 1 /);
    expect(sent()).to.have.lengthOf(2);
    await keyboard.follow(delivered.getByRole('link'));
    expect(await page.locator('#payload').textContent()).to.equal(sent()[0]?.body);
    expect(await page.locator('#curl').textContent()).to.contain('whsec_SIGNING_SECRET');

    await page.goto(`${HOME}/webhook`);
    await keyboard.press('Send test');
    await page
      .getByText(/Sending|HTTP 2\d\d/)
      .first()
      .waitFor();
    await openMore();
    await keyboard.press('Disable');
    await page.getByText('Disabled', { exact: true }).waitFor();
    await keyboard.press('Enable');
    await page.getByText('Webhook enabled').waitFor();
    await keyboard.type('URL', `${flow.receiver.url}/moved`);
    await keyboard.toggle('Job failed');
    await keyboard.press('Save');
    await page.getByText('Webhook settings saved').waitFor();
    expect(await page.getByLabel('Job failed').isChecked()).to.equal(false);
    await openMore();
    await keyboard.follow('Rotate secret');
    await keyboard.reach(page.getByLabel('Keep the old secret valid for'));
    await page.keyboard.press('ArrowDown');
    await keyboard.press('Rotate secret');
    const signing = (await page.locator('#secret').textContent()) ?? '';
    expect(signing).to.match(/^whsec_/);
    flow.receiver.trust(signing);
    await keyboard.follow('Done');
  });

  it('add another endpoint to the webhook, test, change and remove it', async () => {
    await using receiver = await startWebhookReceiver();
    await page.goto(`${HOME}/webhook`);
    await keyboard.follow('New endpoint');
    await keyboard.type('URL', receiver.url);
    await keyboard.press('Save');
    // The list of errors links to the field.
    await keyboard.reach(page.getByRole('link', { name: 'Invalid name of an endpoint' }));
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).to.equal('#endpoint');
    await keyboard.type('Name', 'audit');
    await keyboard.type('URL', receiver.url);
    await keyboard.press('Save');
    const secret = (await page.locator('#secret').textContent()) ?? '';
    expect(secret).to.match(/^whsec_/);
    receiver.trust(secret);
    await keyboard.follow('Done');
    await keyboard.press('Send test');
    await until('the receiver to respond', async () => {
      await page.reload();
      return (await page.getByText(/HTTP 2\d\d/).count()) > 0;
    });
    await keyboard.toggle('Job failed');
    await keyboard.press('Save');
    await page.getByText('Endpoint audit saved').waitFor();
    expect((await specOf()).webhook?.endpoints).to.deep.equal([
      { name: 'audit', events: ['COMPLETED'], enabled: true },
    ]);
    await openMore();
    await keyboard.follow('Remove endpoint');
    await keyboard.press('Remove endpoint');
    await page.getByText('Endpoint audit removed').waitFor();
    expect((await specOf()).webhook?.endpoints).to.equal(undefined);
  });

  it('change job defaults, and show the rules of the API server at their field', async () => {
    await page.goto(SETTINGS);
    const access = page.getByRole('row', { name: `${NAMESPACE}/ada` }).getByRole('cell');
    expect(await access.allTextContents()).to.include.members(['ServiceAccount', 'admin']);
    await keyboard.follow('Change job defaults');
    await keyboard.type('Attempts', '3');
    await keyboard.type('Keep failed jobs in the cluster', '2 days');
    await keyboard.type('Kueue queue', 'No queue');
    await keyboard.type('Tags of archives', 'team=sales\nstage=live');
    await keyboard.press('Save');
    expect(await page.locator('#queueName-error').textContent()).to.contain('Kueue queue should match');
    await keyboard.type('Kueue queue', '');
    await keyboard.press('Save');
    await page.getByText('Job defaults saved').waitFor();
    expect((await specOf()).jobDefaults).to.deep.equal({
      maxAttempts: 3,
      ttlSecondsAfterFinished: { failed: 172_800 },
      objectOptions: { tags: { team: 'sales', stage: 'live' } },
    });
  });

  it('keep their values when someone else has changed them, and then replace those of the other', async () => {
    await page.goto(`${SETTINGS}/limits`);
    const spec = JSON.stringify({ spec: { limits: { activeJobs: 7 }, displayName: 'Kept' } });
    await desk.flow.kubectl('patch', 'zipproject', PROJECT_NAME, '--type=merge', '-p', spec);
    await keyboard.type('Active jobs', '5');
    await keyboard.press('Save');
    await page.getByRole('alert').getByText('Someone else changed these settings').waitFor();
    expect(await page.locator('#activeJobs-error').textContent()).to.contain('Active jobs is now: 7');
    expect(await page.getByLabel('Active jobs').inputValue()).to.equal('5');
    await keyboard.press('Save');
    await page.getByText('Limits saved').waitFor();
    expect(await specOf()).to.deep.include({ limits: { activeJobs: 5 }, displayName: 'Kept' });
  });

  // The last two must be last.
  it('remove the webhook and delete the project with its tokens and buckets, and keep the namespace', async () => {
    const { flow } = desk;
    await page.goto(`${HOME}/webhook`);
    await openMore();
    await keyboard.follow('Remove webhook');
    await keyboard.toggle('Also remove the signing secret');
    await keyboard.press('Remove webhook');
    await page.getByRole('heading', { name: 'New endpoint' }).waitFor();
    await page.goto(SETTINGS);
    await keyboard.follow('Delete project…');
    await keyboard.press('Delete project');
    await page.locator('#confirm-error').waitFor();
    await keyboard.reach(page.getByRole('textbox', { name: 'Namespace' }));
    await page.keyboard.insertText(NAMESPACE);
    await keyboard.press('Delete project');
    await page.getByText(`Deleting project ${NAMESPACE} with 1 access token and `).waitFor();
    await until('the project to be gone', async () => {
      const left = await flow.kubectl('get', 'zipprojects,ziptokens,zipbuckets', '-o', 'name');
      return left.trim() === '';
    });
    expect(await flow.kubectl('get', 'serviceaccount', 'ada', '-o', 'name')).to.contain('ada');
  });

  it('choose the theme and sign out', async () => {
    await page.goto('/projects');
    async function openAccount(): Promise<void> {
      await keyboard.reach(page.getByRole('button', { name: 'Signed in as' }));
      await page.keyboard.press('Enter');
    }
    await openAccount();
    await keyboard.press('Dark');
    expect(await page.locator('html').getAttribute('data-theme')).to.equal('dark');
    await openAccount();
    await keyboard.press('Sign out everywhere');
    await page.getByText('You are signed out in every browser.').waitFor();
    expect(open.complaints).to.deep.equal([]);
  });
});
