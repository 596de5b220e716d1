import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readZip } from '#test/support/archives/read-zip.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { until } from '#test/support/until.ts';
import {
  type DashboardDesk,
  type OpenPage,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';
import type { DashboardUser } from '#test/support/worlds/dashboard-users.ts';

const NAMESPACE = 'dashboard-jobs';
const JOBS = `/projects/${NAMESPACE}/jobs`;
const QUERY_SECRET = 'presigned-and-secret';
/** An injection attempt in a key, a name or the metadata. */
const EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>\'';
const METADATA = `{"order":1.0,"n":12345678901234567890,"x":${JSON.stringify(EVIL)}}`;

describe('jobs in the dashboard', function () {
  this.timeout(240_000);
  let desk: DashboardDesk;
  let admin: DashboardUser;
  let viewer: DashboardUser;
  const life = new AsyncDisposableStack();
  before(async function () {
    await requireBrowser(this);
    desk = life.use(await startDashboardDesk(NAMESPACE));
    admin = await desk.addUser('ada', 'admin');
    viewer = await desk.addUser('vera', 'view');
  });
  after(() => life.disposeAsync());

  const post = async (key: string, path: string, filename = 'a.bin'): Promise<string> => {
    const { flow } = desk;
    const { token, bucketName } = flow.project;
    const url = `${flow.origin.url(path)}?X-Amz-Signature=${QUERY_SECRET}`;
    const request = JSON.stringify({ bucket_name: bucketName, key, urls: [{ url, filename }] });
    return postJob(flow.baseUrl, token, `${request.slice(0, -1)},"metadata":${METADATA}}`);
  };
  const ended = (uuid: string) => desk.flow.project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled']);
  const asUser = async (user: DashboardUser, options = {}): Promise<OpenPage> => {
    const open = await desk.open(options);
    await open.signIn(user.token);
    return open;
  };
  const rows = (page: Page): Promise<readonly string[]> =>
    page.locator('table.jobs tbody th a').allTextContents();

  it('shows the progress of a job without a reload, and announces newer jobs', async () => {
    await using open = await asUser(admin);
    const { page } = open;
    await page.goto(JOBS);
    await page.getByText('No jobs yet').waitFor();
    const held = desk.flow.hold();
    const uuid = await post('slow.zip', new URL(held.url).pathname);
    await page.getByRole('link', { name: 'Show 1 newer job' }).click();
    expect(await rows(page)).to.deep.equal(['slow.zip']);
    const bar = page.getByRole('progressbar');
    await bar.waitFor();
    const before = Number(await bar.getAttribute('value'));
    await until('progress to be shown', async () => Number(await bar.getAttribute('value')) > before);
    await page.getByRole('link', { name: 'slow.zip' }).click();
    await page.getByRole('img', { name: /read in .*B\/s/ }).waitFor();
    held.release();
    await page.getByRole('link', { name: 'Download' }).waitFor();
    expect((await ended(uuid)).status?.phase).to.equal('Succeeded');
    expect(open.complaints).to.deep.equal([]);
  });

  it('finds jobs by id, key, state, bucket and time', async () => {
    const succeeding = await post('reports/May.zip', '/gen/10/1');
    const failing = await post('reports/june.zip', '/status/404');
    await Promise.all([ended(succeeding), ended(failing)]);
    await using open = await asUser(viewer, { javaScriptEnabled: false });
    const { page } = open;
    const search = async (fields: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      await page.goto(JOBS);
      const { q = '', ...selects } = fields;
      await page.getByLabel('ID or key').fill(q);
      for (const [label, value] of Object.entries(selects))
        await page.getByLabel(label, { exact: true }).selectOption(value);
      await page.getByRole('button', { name: 'Search' }).click();
      return rows(page);
    };
    await until('both to have ended in the cache', async () => {
      const found = await search({ q: 'REPORTS/' });
      const unfinished = await search({ q: 'REPORTS/', State: 'unfinished' });
      return found.length === 2 && unfinished.length === 0;
    });
    expect(await search({ q: succeeding })).to.deep.equal(['reports/May.zip']);
    expect(await search({ q: 'JUNE' })).to.deep.equal(['reports/june.zip']);
    expect(await search({ q: 'reports/', State: 'Failed' })).to.deep.equal(['reports/june.zip']);
    expect(
      await search({ q: 'reports/', Bucket: `s3-${NAMESPACE}-archives`, Created: '1h' }),
    ).to.have.lengthOf(2);
    expect(await search({ q: 'no such job' })).to.deep.equal([]);
    expect(await page.getByText('0 jobs found').count()).to.equal(1);
  });

  it('shows which file failed and why, never its signed query, and runs the job again', async () => {
    const uuid = await post('failing.zip', '/status/404');
    await ended(uuid);
    await using open = await asUser(admin, { javaScriptEnabled: false });
    const { page } = open;
    await page.goto(`${JOBS}/${uuid}?log=last`);
    const failure = page.getByRole('region', { name: 'Why this job failed' });
    const text = (await failure.textContent()) ?? '';
    expect(text).to.contain('SourceNotFound').and.to.contain('404');
    expect(text).to.contain('Fileindex 0');
    const rows = page.getByRole('region', { name: 'Failing files' }).locator('tbody tr');
    expect(await rows.allInnerTexts()).to.deep.equal([
      `a.bin\t0\t${new URL(desk.flow.origin.url('/')).host}\tA source does not have the file, or refused to send it.\t404`,
    ]);
    const html = await page.content();
    expect(html).to.contain('12345678901234567890').and.to.contain('1.0');
    expect(html).to.not.contain(QUERY_SECRET);
    expect(await page.getByRole('region', { name: 'Logs' }).locator('pre').count()).to.equal(1);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText(`New job created with the files of zip-${uuid}`).waitFor();
    expect(page.url()).to.not.contain(uuid);
    expect(await page.getByRole('link', { name: `zip-${uuid}` }).count()).to.equal(1);
    const again = /zip-([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
    expect((await ended(again)).status?.failure?.code).to.equal('SourceNotFound');
  });

  it('cancels a job by keyboard alone, without JavaScript', async () => {
    const uuid = await post('endless.zip', '/silent');
    await using open = await asUser(admin, { javaScriptEnabled: false });
    const { page } = open;
    await page.goto(`${JOBS}/${uuid}`);
    await page.locator('summary', { hasText: 'Cancel job…' }).focus();
    for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByText('Cancellation requested. Any partial upload is removed.').waitFor();
    expect((await ended(uuid)).status?.phase).to.equal('Cancelled');
    await page.reload();
    expect(await page.getByRole('button', { name: 'Cancel job', exact: true }).count()).to.equal(0);
  });

  it('resends the webhook, and shows each delivery', async () => {
    const uuid = await post('webhook.zip', '/gen/10/1');
    await ended(uuid);
    await using open = await asUser(admin);
    const { page } = open;
    await page.goto(`${JOBS}/${uuid}`);
    const deliveries = page.getByRole('region', { name: 'Deliveries' }).locator('tbody tr');
    await until('the first delivery to be shown', async () => (await deliveries.count()) === 1);
    await page.getByRole('button', { name: 'Resend webhook' }).click();
    await page.getByText('Webhook delivered').waitFor();
    expect(await deliveries.count()).to.equal(2);
    expect(await deliveries.last().textContent()).to.match(/HTTP 2\d\d/);
  });

  it('downloads an archive with a URL that is stored nowhere', async () => {
    const uuid = await post(`out/${EVIL} ö.zip`, '/gen/1000/7', 'inside.bin');
    await ended(uuid);
    await using open = await asUser(admin);
    const { page } = open;
    const replies: string[] = [];
    page.on('response', (response) => {
      if (response.url().startsWith(desk.url))
        void response.text().then(
          (body) => replies.push(body),
          () => undefined,
        );
    });
    await page.goto(`${JOBS}/${uuid}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).to.match(/ ö\.zip$/);
    const { entries } = readZip(await readFile(await download.path()));
    expect(entries.map(({ name }) => name)).to.deep.equal(['inside.bin']);
    expect(page.url()).to.equal(`${desk.url}${JOBS}/${uuid}`);
    const html = await page.content();
    for (const text of [html, ...replies, ...desk.dashboard.lines])
      expect(text).to.not.contain('X-Amz-Signature').and.not.contain(desk.flow.cluster.store.secretAccessKey);
  });

  it('shows why an action is denied, and refuses it', async () => {
    const uuid = await post('viewed.zip', '/gen/10/1');
    await ended(uuid);
    await using open = await asUser(viewer);
    const { page } = open;
    await page.goto(`${JOBS}/${uuid}`);
    for (const [label, right] of [
      ['Download', 'get secrets'],
      ['Run again', 'create zipjobs'],
      ['Resend webhook', 'patch zipjobs'],
    ] as const) {
      await page.getByRole('button', { name: `${label} (locked)` }).press('Enter');
      await page.getByText(`is not allowed to ${right}`).filter({ visible: true }).waitFor();
      await page.keyboard.press('Escape');
    }
    const reply = await page.goto(`${JOBS}/${uuid}/download`);
    expect(reply?.status()).to.equal(403);
    const csrf = (await page.locator('input[name=csrf]').first().getAttribute('value')) ?? '';
    for (const verb of ['cancel', 'run-again', 'replay-webhook']) {
      const refused = await page.request.post(`${desk.url}${JOBS}/${uuid}/${verb}`, {
        form: { csrf },
        headers: { 'sec-fetch-site': 'same-origin', origin: desk.url },
      });
      expect(refused.status(), verb).to.equal(403);
    }
    expect(open.complaints).to.deep.equal([]);
  });

  it('shows no job to a user without permissions', async () => {
    const stranger = await desk.addUser('stranger');
    await using open = await asUser(stranger);
    for (const path of [JOBS, `${JOBS}/some-job`, `/projects/${NAMESPACE}/live/jobs`])
      expect((await open.page.goto(path))?.status(), path).to.equal(403);
  });

  it('runs no script that a caller has written', async () => {
    const uuid = await post(`${EVIL}.zip`, '/gen/10/1', `x${EVIL.replaceAll('/', '')}`);
    const failing = await post(`failing ${EVIL}.zip`, '/status/404', 'b');
    await Promise.all([ended(uuid), ended(failing)]);
    await using open = await asUser(admin);
    const { page } = open;
    let alerts = 0;
    page.on('dialog', (dialog) => {
      alerts += 1;
      void dialog.dismiss();
    });
    for (const path of [
      `${JOBS}?q=${encodeURIComponent(EVIL)}&bucket=${encodeURIComponent(EVIL)}`,
      JOBS,
      `${JOBS}/${uuid}?log=last`,
      `${JOBS}/${failing}?log=last`,
      `${JOBS}/${encodeURIComponent(EVIL)}`,
    ]) {
      expect((await page.goto(path))?.status(), path).to.equal(
        path.includes('%22') && !path.includes('?') ? 404 : 200,
      );
      expect(await page.locator('img[src=x]').count(), path).to.equal(0);
    }
    expect(alerts).to.equal(0);
    expect(open.complaints).to.deep.equal([]);
  });
});
