/** From a new bucket to an archive and a failed job, as a user with the role `edit`. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readZip } from '#test/support/archives/read-zip.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { until } from '#test/support/until.ts';
import {
  type DashboardDesk,
  type OpenPage,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';

const NAMESPACE = 'dashboard-jobs';
const HOME = `/projects/${NAMESPACE}`;
const JOBS = `${HOME}/jobs`;
const OWN_BUCKET = `${NAMESPACE}-own`;
const QUERY_SECRET = 'presigned-and-secret';

describe('buckets and jobs in the dashboard', function () {
  this.timeout(240_000);
  let desk: DashboardDesk;
  let open: OpenPage;
  let page: Page;
  const life = new AsyncDisposableStack();
  before(async function () {
    await requireBrowser(this);
    // The sources of these tests are on this machine.
    desk = life.use(await startDashboardDesk(NAMESPACE, { EGRESS_ALLOW_CIDRS: '127.0.0.0/8' }));
    await desk.flow.cluster.createBucket(OWN_BUCKET);
    open = life.use(await desk.openAs(await desk.addUser('eve', 'edit')));
    ({ page } = open);
  });
  after(() => life.disposeAsync());

  function press(name: string): Promise<void> {
    return page.getByRole('button', { name, exact: true }).click();
  }

  it('add a bucket of another store, which is tested at once', async () => {
    const { store } = desk.flow.cluster;
    await page.goto(`${HOME}/new-bucket`);
    expect(await page.locator('#endpoint').isVisible()).to.equal(false);
    await page.getByLabel('Other S3-compatible store').check();
    expect(await page.getByLabel('Account ID').isVisible()).to.equal(false);
    await page.getByLabel('Bucket name').fill(OWN_BUCKET);
    await page.locator('#endpoint').fill(store.endpoint);
    await page.locator('#otherRegion').fill(store.region);
    await page.getByLabel('Access key ID').fill(store.accessKeyId);
    await page.getByLabel('Secret access key').fill(store.secretAccessKey);
    await press('Save and test');
    await page.getByText('The test has started.').waitFor();
    await page.locator('[data-live-end]').getByText('Works').waitFor({ timeout: 120_000 });
    const row = page.getByRole('row', { name: 's3:PutObject ' });
    expect(await row.textContent()).to.contain('Granted');
    expect(open.complaints).to.deep.equal([]);
  });

  it('change the settings of the bucket, and see why a test fails', async () => {
    await page.goto(`${HOME}/buckets/s3/${OWN_BUCKET}/settings`);
    await page.locator('#endpoint').fill('https://s3.not-allowed.example');
    await press('Save and test');
    await page.getByText('add it to store.allowedHosts').first().waitFor();
    await page.locator('#endpoint').fill(desk.flow.cluster.store.endpoint);
    await page.getByText('Object options').click();
    await page.getByLabel('Cache-Control').fill('no-store');
    await press('Save and test');
    await page.getByText('Settings saved.').waitFor();
    const spec = await desk.flow.kubectl('get', `zipbucket/s3-${OWN_BUCKET}`, '-o', 'jsonpath={.spec}');
    expect(JSON.parse(spec)).to.deep.include({ objectOptions: { cacheControl: 'no-store' } });
  });

  it('create a test archive, whose progress the first steps show without a reload', async () => {
    await page.goto(`${HOME}/first-steps`);
    await page.getByLabel('Bucket').selectOption(`s3/${OWN_BUCKET}`);
    await press('Create test archive');
    const step = page.locator('.guide li').filter({ hasText: 'Create a test archive' });
    await step.getByText('Done').waitFor({ timeout: 120_000 });
    await step.getByRole('link', { name: 'Job and download' }).click();
    await page.getByText('Succeeded').first().waitFor();
    expect(await page.locator('main').textContent()).to.contain('zipjobs-test/');
    await until('the menu to lose the first steps', async () => {
      await page.goto(`${HOME}/buckets`);
      return (await page.getByRole('link', { name: 'First steps' }).count()) === 0;
    });
  });

  it('create a job, after errors that name their lines', async () => {
    const { flow } = desk;
    await page.goto(`${HOME}/new-job?bucket=s3/${flow.project.bucketName}`);
    await page.locator('#key').fill('made/by-hand.zip');
    await page
      .getByLabel('Files (required)')
      .fill(`${flow.origin.url('/gen/1/2048')} a.bin\n\nhttp://169.254.169.254/x`);
    await press('Create job');
    await page.getByText('Line 3: the URL does not point to a publicly accessible host').waitFor();
    await page.locator('#urls').fill(`${flow.origin.url('/gen/1/2048')} a.bin\ndata:,hello note.txt`);
    await press('Create job');
    await page.getByText('Job created').waitFor();
    const name = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const uuid = name.replace(/^zip-/, '');
    await flow.project.untilPhase(uuid, ['Succeeded']);
    const { status } = await flow.project.zipJob(uuid);
    expect(status?.result).to.include({ entries: 2 });
    expect(await flow.project.bucket.exists('made/by-hand.zip')).to.equal(true);
    // Callers can read the job as one of their own.
    const { token } = flow.project;
    expect((await askApi(flow.baseUrl, { path: `/v1/zips/${uuid}`, token })).status).to.equal(200);
    expect(open.complaints).to.deep.equal([]);
  });

  it('follow a job without a reload, and download its archive with a URL that is stored nowhere', async () => {
    const { flow } = desk;
    const replies: string[] = [];
    page.on('response', (response) => {
      if (response.url().startsWith(desk.url))
        void response.text().then(
          (body) => replies.push(body),
          () => undefined,
        );
    });
    await page.goto(JOBS);
    const held = flow.hold();
    const uuid = await flow.post([{ url: held.url, filename: 'inside.bin' }], { key: 'out/ö.zip' });
    await page.getByRole('link', { name: 'Show 1 newer job' }).click();
    const bar = page.getByRole('progressbar');
    await bar.waitFor();
    const before = Number(await bar.getAttribute('value'));
    await until('progress to be shown', async () => Number(await bar.getAttribute('value')) > before);
    await page.getByRole('link', { name: 'out/ö.zip' }).click();
    await page.getByRole('img', { name: /read in .*B\/s/ }).waitFor();
    held.release();
    const link = page.getByRole('link', { name: 'Download' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).to.equal('ö.zip');
    const { entries } = readZip(await readFile(await download.path()));
    expect(entries.map(({ name }) => name)).to.deep.equal(['inside.bin']);
    expect(page.url()).to.match(new RegExp(`${JOBS}/(zip-)?${uuid}$`));
    for (const text of [await page.content(), ...replies, ...desk.dashboard.lines])
      expect(text).to.not.contain('X-Amz-Signature').and.not.contain(flow.cluster.store.secretAccessKey);
    expect(open.complaints).to.deep.equal([]);
  });

  it('run all failed jobs of a search again, and see why one failed', async () => {
    const { flow } = desk;
    const files = [
      { url: flow.origin.url('/gen/10/1'), filename: 'there.txt' },
      {
        url: `${flow.origin.url('/status/404')}?X-Amz-Signature=${QUERY_SECRET}`,
        filename: 'gone/48448.pdf',
      },
    ];
    const failing = await flow.post(files);
    await flow.project.untilPhase(failing, ['Failed']);
    await until('the dashboard to know the failure', async () => {
      await page.goto(`${JOBS}?reason=SourceNotFound`);
      return (await page.getByText('1 job found').count()) === 1;
    });
    await page.locator('.jobs [name="job"]').check();
    await page.getByLabel('All jobs of this search').check();
    await press('Run again…');
    await press('Run 1 job again');
    await page.getByRole('heading', { name: '1 job created' }).waitFor();
    await page.locator('tbody a.row').click();
    const failure = page.getByRole('region', { name: 'Why this job failed' });
    await failure.waitFor({ timeout: 120_000 });
    expect((await failure.innerText()).replaceAll(/\s+/g, ' '))
      .to.contain(
        `${new URL(flow.origin.url('/')).host} responded with 404 for gone/48448.pdf (file 2 of 2).`,
      )
      .and.to.contain('Open the URL to see what it returns')
      .and.to.contain('Rerun of');
    expect(await page.content()).to.not.contain(QUERY_SECRET);
    const rerun = page.url();
    await failure.getByRole('link', { name: /^zip-/ }).click();
    expect(new URL(page.url()).pathname).to.equal(`${JOBS}/zip-${failing}`);
    await page.getByRole('list', { name: 'Reruns of this job' }).getByRole('link').click();
    expect(page.url()).to.equal(rerun);
    expect(open.complaints).to.deep.equal([]);
  });
});
