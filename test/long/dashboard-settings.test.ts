import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { bucketResourceName, PROJECT_NAME } from '#crds/api-group.ts';
import { endpointDigest } from '#crds/zip-project.ts';
import { type BrowserTraces, tracesOf } from '#test/support/browser/browser-traces.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { until } from '#test/support/until.ts';
import {
  type DashboardDesk,
  type OpenPage,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';
import type { DashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';

const NAMESPACE = 'dashboard-settings';
const HOME = `/projects/${NAMESPACE}`;
const [ACCESS_KEY, SECRET_KEY] = ['AKIAEXAMPLEKEY', 'the-secret-access-key-0123456789'] as const;
const EVIL = '"><img src=x onerror=alert(1)>';

describe('settings in the dashboard', function () {
  this.timeout(240_000);
  let desk: DashboardDesk;
  let admin: DashboardUser;
  const life = new AsyncDisposableStack();
  before(async function () {
    await requireBrowser(this);
    desk = life.use(await startDashboardDesk(NAMESPACE, { DASHBOARD_API_URL: 'https://api.example.com' }));
    admin = await desk.addUser('ada', 'admin');
  });
  after(() => life.disposeAsync());

  const asAdmin = async (): Promise<OpenPage> => {
    const open = await desk.open();
    await open.signIn(admin.token);
    return open;
  };
  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  const addBucket = async (page: Page, bucketName: string, secret: string): Promise<void> => {
    await page.goto(`${HOME}/new-bucket`);
    await page.getByLabel('Bucket name').fill(bucketName);
    await page.getByLabel('Access key ID').fill(ACCESS_KEY);
    await page.getByLabel('Secret access key').fill(secret);
    await page.getByLabel('Region').first().fill('eu-central-1');
    await press(page, 'Save and test');
  };

  describe('buckets', () => {
    it('are added, changed and deleted', async () => {
      await using open = await asAdmin();
      const { page } = open;
      const name = 'new-one';
      await addBucket(page, name, 'with a space');
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Bucket name').inputValue()).to.equal(name);
      expect(await page.getByLabel('Access key ID').inputValue()).to.equal('');
      expect(await page.getByLabel('Secret access key').inputValue()).to.equal('');
      await addBucket(page, name, SECRET_KEY);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      expect(await page.content())
        .to.not.contain(SECRET_KEY)
        .and.not.contain(ACCESS_KEY);
      await page.getByRole('link', { name: 'Update credentials' }).click();
      await page.getByLabel('Access key ID').fill(ACCESS_KEY);
      await page.getByLabel('Secret access key').fill(`${SECRET_KEY}2`);
      await press(page, 'Save and test');
      await page.getByText('Credentials updated.').waitFor();
      await page.getByRole('link', { name: 'Delete bucket', exact: true }).click();
      await press(page, 'Delete bucket');
      await page.getByText(`Bucket ${name} and its credentials deleted`).waitFor();
      expect(open.complaints).to.deep.equal([]);
    });

    it('are tested from inside the cluster, and the page shows the result without a reload', async () => {
      await using open = await asAdmin();
      const { page } = open;
      const { bucketName } = desk.flow.project;
      await page.goto(`${HOME}/buckets`);
      await page.getByRole('link', { name: bucketName, exact: true }).click();
      await press(page, 'Test connection');
      await page.getByText('Works').waitFor({ timeout: 120_000 });
      expect(open.complaints).to.deep.equal([]);
    });

    it('that jobs use are deleted only after their name is typed', async () => {
      await using open = await asAdmin();
      const { page } = open;
      await addBucket(page, 'in-use', SECRET_KEY);
      await page.getByRole('heading', { name: 'in-use', exact: true }).waitFor();
      const { flow } = desk;
      const urls = [{ url: flow.origin.url('/drip/1024/100/4194304/1'), filename: 'a' }];
      await postJob(flow.baseUrl, flow.project.token, { bucket_name: 'in-use', key: 'x.zip', urls });
      await until('the page to know of the job', async () => {
        await page.goto(`${HOME}/buckets/s3/in-use/delete`);
        return (await page.getByRole('heading', { name: '1 job uses this bucket' }).count()) === 1;
      });
      await press(page, 'Delete bucket anyway');
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Bucket name').fill('in-use');
      await press(page, 'Delete bucket anyway');
      await page.getByRole('status').filter({ hasText: 'in-use' }).waitFor();
    });
  });

  describe('access tokens', () => {
    it('are shown once, work in the API, and are refused after they are revoked (H11)', async () => {
      await using open = await asAdmin();
      const { page } = open;
      await page.goto(`${HOME}/new-token`);
      await page.getByLabel('Name').fill('a program');
      await press(page, 'Create token');
      const value = (await page.locator('#token').textContent()) ?? '';
      expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).to.equal(true);
      await untilTokenKnown(desk.flow.baseUrl, value);
      await page.getByRole('link', { name: 'Done', exact: true }).click();
      await page.getByRole('row', { name: 'a program' }).waitFor();
      expect(await page.content()).to.not.contain(value);
      await page.goto(`${HOME}/tokens`);
      await page.getByRole('link', { name: 'Revoke a program' }).click();
      await press(page, 'Revoke token');
      await page.getByText('Token a program revoked').waitFor();
      const ask = async (): Promise<number> =>
        (await askApi(desk.flow.baseUrl, { path: '/v1/zips/none', token: value })).status;
      await until('the API to refuse it', async () => (await ask()) === 401);
    });

    it('are not shown again after going back', async () => {
      await using open = await asAdmin();
      const { page } = open;
      await page.goto(`${HOME}/new-token`);
      await press(page, 'Create token');
      const value = (await page.locator('#token').textContent()) ?? '';
      await page.getByRole('link', { name: 'Done', exact: true }).click();
      await page.getByRole('heading', { name: 'Access tokens' }).waitFor();
      // The browser did not cache that page and does not resend the form: it shows its own error.
      const shown = await page.goBack().then(() => page.content(), String);
      expect(value).to.match(/^zj_/);
      expect(shown).to.not.contain(value);
    });
  });

  describe('the webhook', () => {
    it('is tested, disabled, enabled, and gets a new secret', async () => {
      await using open = await asAdmin();
      const { page } = open;
      await page.goto(`${HOME}/webhook`);
      await press(page, 'Send test');
      await page
        .getByRole('status')
        .getByText(/^\s*HTTP 2\d\d$/)
        .waitFor();
      await press(page, 'Disable');
      await page.getByText('Disabled', { exact: true }).waitFor();
      await press(page, 'Enable');
      await page.getByText('Webhook enabled').waitFor();
      await page.getByRole('link', { name: 'Rotate secret' }).click();
      await press(page, 'Rotate secret');
      const signing = (await page.locator('#secret').textContent()) ?? '';
      expect(signing).to.match(/^whsec_/);
      desk.flow.receiver.trust(signing);
      await page.getByText('also signed with the old secret').waitFor();
    });
  });

  describe('secrets', () => {
    /** Each secret is shown once or never: the number of responses that may contain it. */
    const makeSecrets = async (page: Page): Promise<ReadonlyMap<string, number>> => {
      await addBucket(page, 'secretive', SECRET_KEY);
      await page.getByRole('link', { name: 'Update credentials' }).click();
      await page.getByLabel('Access key ID').fill(ACCESS_KEY);
      await page.getByLabel('Secret access key').fill(`${SECRET_KEY}2`);
      await press(page, 'Save and test');
      await page.getByText('Credentials updated.').waitFor();
      await page.goto(`${HOME}/webhook`);
      await page.getByLabel('URL').fill(`${desk.flow.receiver.url}/?key=a-password`);
      await press(page, 'Save');
      await page.getByText('Webhook settings saved').waitFor();
      await page.goto(`${HOME}/webhook/rotate-secret`);
      await press(page, 'Rotate secret');
      const signing = (await page.locator('#secret').textContent()) ?? '';
      await page.goto(`${HOME}/new-token`);
      await press(page, 'Create token');
      const token = (await page.locator('#token').textContent()) ?? '';
      expect(token).to.match(/^zj_/);
      expect(signing).to.match(/^whsec_/);
      desk.flow.receiver.trust(signing);
      return new Map([
        [SECRET_KEY, 0],
        [ACCESS_KEY, 0],
        ['a-password', 0],
        [admin.token, 0],
        [signing, 1],
        [token, 1],
      ]);
    };
    const visitAll = async (page: Page, { kept }: BrowserTraces): Promise<readonly string[]> => {
      const texts: string[] = [];
      for (const path of [
        '',
        '/jobs',
        '/buckets',
        '/buckets/s3/secretive',
        '/tokens',
        '/webhook',
        '/settings',
        '/first-steps',
      ]) {
        await page.goto(`${HOME}${path}`);
        texts.push(await kept());
      }
      return texts;
    };

    it('are contained only in the one response that shows them, and in no URL, storage, history or log', async () => {
      await using open = await asAdmin();
      const traces = tracesOf(open.page);
      const secrets = await makeSecrets(open.page);
      const kept = await visitAll(open.page, traces);
      for (const [secret, showings] of secrets) {
        expect(traces.responses.filter((text) => text.includes(secret))).to.have.lengthOf(showings);
        for (const text of [...kept, ...traces.addresses, ...desk.dashboard.lines])
          expect(text).to.not.contain(secret);
      }
    });
  });

  it('shows first steps with the bucket and URL of the project', async () => {
    await using open = await asAdmin();
    const { page } = open;
    await page.goto(`${HOME}/first-steps`);
    const request = await page.locator('#request').textContent();
    expect(request).to.contain('"https://api.example.com/v1/zips"').and.contain(`"bucket_name":"`);
  });

  // Must be last: it leaves a webhook without a receiver.
  describe('names, URLs and messages from callers', () => {
    it('cannot inject a script', async () => {
      const { flow } = desk;
      await using open = await asAdmin();
      const { page } = open;
      let alerts = 0;
      page.on('dialog', (dialog) => {
        alerts += 1;
        void dialog.dismiss();
      });
      await addBucket(page, EVIL, SECRET_KEY);
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Bucket name').inputValue()).to.equal(EVIL);
      await addBucket(page, 'evil', SECRET_KEY);
      await page.goto(`${HOME}/new-token`);
      await page.getByLabel('Name').fill(EVIL);
      await press(page, 'Create token');
      const { bucketName, token } = flow.project;
      const uuid = await postJob(flow.baseUrl, token, {
        bucket_name: bucketName,
        key: EVIL,
        urls: [{ url: flow.origin.url('/gen/1/1'), filename: 'a' }],
      });
      await flow.project.untilPhase(uuid, ['Succeeded']);
      const now = new Date().toISOString();
      const url = `https://hooks.example.com/${EVIL}`;
      const patch = (object: string, body: object, ...more: readonly string[]): Promise<string> =>
        flow.kubectl('patch', object, '--type=merge', '-p', JSON.stringify(body), ...more);
      await patch(`zipproject/${PROJECT_NAME}`, { spec: { displayName: EVIL, webhook: { url } } });
      const test = { nonce: 'n', at: now, durationMs: 1, error: EVIL };
      const endpoint = { endpoint: endpointDigest(url), state: 'Disabled', reason: EVIL, test };
      await patch(`zipproject/${PROJECT_NAME}`, { status: { webhook: endpoint } }, '--subresource=status');
      const ready = { type: 'Ready', status: 'False', reason: EVIL, message: EVIL, lastTransitionTime: now };
      await patch(
        `zipbucket/${bucketResourceName('s3', 'evil')}`,
        { status: { test: { nonce: 'n', finishedAt: now }, conditions: [ready] } },
        '--subresource=status',
      );
      await page.goto(`${HOME}/tokens`);
      const revoke = (await page.getByRole('link', { name: EVIL }).getAttribute('href')) ?? '';
      const showing = [
        '/projects',
        HOME,
        `${HOME}/tokens`,
        revoke,
        `${HOME}/webhook`,
        `${HOME}/settings`,
        `${HOME}/buckets/s3/evil`,
      ];
      for (const path of [...showing, `${HOME}/buckets/s3/${encodeURIComponent(EVIL)}`]) {
        // Some pages are rendered from caches, which lag behind a write.
        await until(`${path} to show what was written`, async () => {
          await page.goto(path);
          const text = await page.locator('main').textContent();
          return !showing.includes(path) || text?.includes(EVIL);
        });
        expect(await page.locator('[src=x]').count(), path).to.equal(0);
      }
      expect(alerts).to.equal(0);
      expect(open.complaints).to.deep.equal([]);
    });
  });
});
