import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { askApi, postJob } from '../support/api-client.ts';
import { type DashboardDesk, type OpenPage, startDashboardDesk } from '../support/dashboard-desk.ts';
import type { DashboardUser } from '../support/dashboard-users.ts';
import { untilTokenKnown } from '../support/flow.ts';
import { until } from '../support/until.ts';

const NAMESPACE = 'dashboard-settings';
const HOME = `/projects/${NAMESPACE}`;
const ACCESS_KEY = 'AKIAEXAMPLEKEY';
const SECRET_KEY = 'the-secret-access-key-0123456789';

describe('settings in the dashboard', function () {
  this.timeout(90_000);
  let desk: DashboardDesk;
  let admin: DashboardUser;
  let viewer: DashboardUser;
  before(async () => {
    desk = await startDashboardDesk(NAMESPACE, { DASHBOARD_API_URL: 'https://api.example.com' });
    admin = await desk.addUser('ada', 'admin');
    viewer = await desk.addUser('vera', 'view');
  });
  after(() => desk[Symbol.asyncDispose]());

  const asUser = async (user: DashboardUser, options = {}): Promise<OpenPage> => {
    const open = await desk.open(options);
    await open.signIn(user.token);
    return open;
  };
  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  const addBucket = async (page: Page, bucketName: string, secret: string): Promise<void> => {
    await page.goto(`${HOME}/new-bucket/s3`);
    await page.getByLabel('Bucket Name').fill(bucketName);
    await page.getByLabel('Access Key ID').fill(ACCESS_KEY);
    await page.getByLabel('Secret Access Key').fill(secret);
    await page.getByLabel('Region').fill('eu-central-1');
    await press(page, 'Add bucket');
  };

  describe('buckets', () => {
    it('are added, changed and deleted', async () => {
      await using open = await asUser(admin);
      const { page } = open;
      const name = 'new-one';
      await addBucket(page, name, 'with a space');
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Bucket Name').inputValue()).to.equal(name);
      expect(await page.getByLabel('Access Key ID').inputValue()).to.equal('');
      expect(await page.getByLabel('Secret Access Key').inputValue()).to.equal('');
      await addBucket(page, name, SECRET_KEY);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      expect(await page.content())
        .to.not.contain(SECRET_KEY)
        .and.not.contain(ACCESS_KEY);
      await page.getByRole('link', { name: 'Update the credentials' }).click();
      await page.getByLabel('Access Key ID').fill(ACCESS_KEY);
      await page.getByLabel('Secret Access Key').fill(`${SECRET_KEY}2`);
      await press(page, 'Replace the credentials');
      await page.getByText('The new credentials are stored').waitFor();
      await page.getByRole('link', { name: 'Delete', exact: true }).click();
      await press(page, 'Delete bucket');
      await page.getByText(`The bucket ${name} and its credentials are deleted`).waitFor();
      expect(open.complaints).to.deep.equal([]);
    });

    it('are tested from inside the cluster, and the page tells how it went without a reload', async () => {
      await using open = await asUser(admin);
      const { page } = open;
      const { bucketName } = desk.flow.project;
      await page.goto(`${HOME}/buckets`);
      await page.getByRole('link', { name: bucketName, exact: true }).click();
      await press(page, 'Test the connection');
      await page.getByText('Works').waitFor({ timeout: 60_000 });
      expect(open.complaints).to.deep.equal([]);
    });

    it('that jobs use are deleted only when their name is typed in', async () => {
      await using open = await asUser(admin);
      const { page } = open;
      await addBucket(page, 'in-use', SECRET_KEY);
      await page.getByRole('heading', { name: 'in-use', exact: true }).waitFor();
      const { flow } = desk;
      const urls = [{ url: flow.origin.url('/drip/1024/100/4194304/1'), filename: 'a' }];
      await postJob(flow.baseUrl, flow.project.token, { bucket_name: 'in-use', key: 'x.zip', urls });
      await until('the page to know of the job', async () => {
        await page.goto(`${HOME}/buckets/s3/in-use/delete`);
        return (await page.getByRole('heading', { name: '1 job names the bucket' }).count()) === 1;
      });
      await press(page, 'Delete bucket all the same');
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Name of the bucket').fill('in-use');
      await press(page, 'Delete bucket all the same');
      await page.getByRole('status').filter({ hasText: 'in-use' }).waitFor();
    });

    it('can be looked at by somebody who may only view, and the reasons stand beside what is disabled', async () => {
      await using open = await asUser(viewer);
      const { page } = open;
      await page.goto(`${HOME}/buckets`);
      expect(await page.getByRole('button', { name: 'Add a bucket' }).isDisabled()).to.equal(true);
      await page.getByRole('link', { name: desk.flow.project.bucketName, exact: true }).click();
      expect(await page.getByRole('button', { name: 'Test the connection' }).isDisabled()).to.equal(true);
      expect(await page.getByText('may not patch zipbuckets').count()).to.be.greaterThan(0);
      expect((await page.goto(`${HOME}/tokens`))?.status()).to.equal(403);
      expect((await page.goto(`${HOME}/new-bucket/s3`))?.status()).to.equal(403);
    });
  });

  describe('access tokens', () => {
    it('are shown once, open the API, and are refused once revoked: in the same process at once (H11)', async () => {
      await using open = await asUser(admin);
      const { page } = open;
      await page.goto(`${HOME}/new-token`);
      await page.getByLabel('Name').fill('a program');
      await press(page, 'Create token');
      const value = (await page.locator('#token').textContent()) ?? '';
      expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).to.equal(true);
      await untilTokenKnown(desk.flow.baseUrl, value);
      await page.getByRole('link', { name: 'I have kept it' }).click();
      await page.getByRole('row', { name: 'a program' }).waitFor();
      expect(await page.content()).to.not.contain(value);
      await page.goto(`${HOME}/tokens`);
      await page.getByRole('link', { name: 'Revoke a program' }).click();
      await untilTokenKnown(desk.api.url, value);
      await press(page, 'Revoke token');
      const ask = async (url: string): Promise<number> =>
        (await askApi(url, { path: '/v1/zips/none', token: value })).status;
      await page.getByText('opens nothing any more').waitFor();
      expect(await ask(desk.api.url)).to.equal(401);
      await until('the other replica to refuse it', async () => (await ask(desk.flow.baseUrl)) === 401);
    });

    it('are not shown once more by going back', async () => {
      await using open = await asUser(admin);
      const { page } = open;
      await page.goto(`${HOME}/new-token`);
      await press(page, 'Create token');
      const value = (await page.locator('#token').textContent()) ?? '';
      await page.getByRole('link', { name: 'I have kept it' }).click();
      await page.getByRole('heading', { name: 'Access tokens' }).waitFor();
      // The browser kept nothing of that page, and sends no form twice by itself: it shows an error of its own.
      const shown = await page.goBack().then(() => page.content(), String);
      expect(value).to.match(/^zj_/);
      expect(shown).to.not.contain(value);
    });
  });

  describe('the webhook', () => {
    it('is tested, switched off and on, and given a new secret', async () => {
      await using open = await asUser(admin);
      const { page } = open;
      await page.goto(`${HOME}/webhook`);
      await press(page, 'Send a test');
      await page
        .getByRole('status')
        .getByText(/^HTTP 2\d\d$/)
        .waitFor({ timeout: 30_000 });
      await press(page, 'Switch off');
      await page.getByText('Switched off', { exact: true }).waitFor();
      await press(page, 'Switch on again');
      await page.getByText('The webhook is switched on.').waitFor();
      await page.getByRole('link', { name: 'New signing secret' }).click();
      await press(page, 'Make a new secret');
      expect(await page.locator('#secret').textContent()).to.match(/^whsec_/);
      await page.getByText('signed with the old one as well').waitFor();
    });
  });

  it('shows first steps with the own bucket and address', async () => {
    await using open = await asUser(admin);
    const { page } = open;
    await page.goto(`${HOME}/first-steps`);
    const request = await page.locator('#request').textContent();
    expect(request).to.contain('"https://api.example.com/v1/zips"').and.contain(`"bucket_name":"`);
  });
});
