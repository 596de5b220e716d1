import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { until } from '#test/support/until.ts';
import type { OpenPage } from '#test/support/worlds/dashboard-desk.ts';
import {
  EDITOR,
  JOBS,
  type JobListWorld,
  jobNameOf,
  keyOf,
  startJobListWorld,
} from '#test/support/worlds/dashboard-job-list.ts';

const EVERY_MS = 3_000;

function rowOf(page: Page, n: number) {
  return page.locator('.jobs tbody tr', { hasText: keyOf(n) });
}

/** The next refresh, with the clock of the page moved on. */
async function refresh(page: Page, ms = EVERY_MS): Promise<void> {
  const response = page.waitForResponse(/\/live\//);
  await page.clock.fastForward(ms);
  await (await response).finished();
}

function setHidden(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

describe('live parts of the dashboard', function () {
  this.timeout(120_000);
  let world: JobListWorld;
  let open: OpenPage;
  let page: Page;
  before(async function () {
    await requireBrowser(this);
  });
  beforeEach(async () => {
    world = await startJobListWorld();
    for (const n of [0, 1, 2, 3]) world.put(n, { phase: 'Running' });
    open = await world.open(EDITOR);
    page = open.page;
    // Only the tests move the clock on, because the ages of the pages are compared to the second.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 10_000);
    await page.goto(JOBS);
  });
  afterEach(async () => {
    await open[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  function status(): Promise<string | null> {
    return page.locator('[data-live-status]').textContent();
  }
  function focused(): Promise<unknown> {
    return page.evaluate('document.activeElement.textContent');
  }

  it('keep focus, selected text, checked boxes and the elements of rows that change', async () => {
    await rowOf(page, 2).getByRole('checkbox').check();
    await rowOf(page, 0).locator('.status').selectText();
    await rowOf(page, 1).getByRole('link').focus();
    await page.evaluate(`for (const row of document.querySelectorAll('.jobs tr')) row.isOld = true`);
    world.put(2, { phase: 'Failed', reason: 'DeadlineExceeded' });
    world.put(1, { phase: 'Succeeded' });
    world.remove(3);
    await refresh(page);
    await rowOf(page, 2).getByText('DeadlineExceeded').waitFor();
    await rowOf(page, 1).getByText('Succeeded').waitFor();
    expect(await page.locator('.jobs tbody tr').count()).to.equal(3);
    expect(await rowOf(page, 2).getByRole('checkbox').isChecked()).to.equal(true);
    expect(await focused()).to.equal(keyOf(1));
    expect(await page.evaluate('String(getSelection())')).to.contain('Running');
    expect(
      await page.evaluate(`[...document.querySelectorAll('.jobs tr')].every((row) => row.isOld)`),
    ).to.equal(true);
    expect(await page.getByText('3 jobs', { exact: true }).count()).to.equal(1);
    expect(await page.getByText('1 job of this page was deleted.').count()).to.equal(1);
    expect(open.complaints).to.deep.equal([]);
  });

  it('move the focus to the table when its row is deleted', async () => {
    await rowOf(page, 1).getByRole('link').focus();
    world.remove(1);
    await refresh(page);
    await until('the row to be gone', async () => (await page.locator('.jobs tbody tr').count()) === 3);
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).to.equal('Jobs');
  });

  it('announce newer jobs of the same search without moving the rows', async () => {
    await page.goto(`${JOBS}?state=Running`);
    world.put(4, { phase: 'Running' });
    world.put(5, { phase: 'Queued' });
    await refresh(page);
    await page.getByRole('link', { name: 'Show 1 newer job' }).click();
    await rowOf(page, 4).waitFor();
    expect(new URL(page.url()).search).to.equal('?state=Running');
    expect(await page.getByText('5 jobs found').count()).to.equal(1);
  });

  it('say how old they are, also when refreshes fail and after they work again', async () => {
    await page.clock.runFor(2_000);
    expect(await status()).to.equal('Live, updated 2 s ago');
    await page.route(/\/live\//, (route) => route.abort());
    await page.clock.runFor(EVERY_MS);
    await page.locator('[data-state=failing]').waitFor();
    await page.clock.runFor(1_000);
    expect(await status()).to.equal('Reconnecting, last updated 6 s ago');
    expect(await page.getByRole('status').filter({ hasText: 'Reconnecting' }).textContent()).to.equal(
      'Reconnecting',
    );
    await page.clock.fastForward(60_000);
    expect(await status()).to.match(/^Reconnecting, last updated 1 min ago$/);
    await page.unroute(/\/live\//);
    // In short steps: a request whose response takes longer than its limit by this clock fails.
    await until('a refresh to succeed', async () => {
      await page.clock.runFor(EVERY_MS);
      return page.locator('[data-state=live]').isVisible();
    });
    expect(await status()).to.match(/^Live, updated \d+ s ago$/);
  });

  it('show a response with an error as a failure, and reload when the access is gone', async () => {
    await page.route(/\/live\//, (route) => route.fulfill({ status: 503, body: 'busy' }));
    await refresh(page);
    await page.locator('[data-state=failing]').waitFor();
    expect(await page.locator('.jobs tbody tr').count()).to.equal(4);
    await page.unroute(/\/live\//);
    world.server.tokens.set(EDITOR, { name: 'eve', allowed: [] });
    await page.clock.fastForward(10_000);
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
  });

  it('keep what was entered in a form when the session has ended', async () => {
    const box = rowOf(page, 2).getByRole('checkbox');
    await page.route(/\/live\//, (route) => route.fulfill({ status: 401, body: 'signed out' }));
    await box.check();
    await refresh(page);
    await page.locator('[data-state=failing]').waitFor();
    expect(await box.isChecked()).to.equal(true);
    await box.uncheck();
    await Promise.all([page.waitForEvent('load'), page.clock.fastForward(10_000)]);
    await page.unroute(/\/live\//);
  });

  it('stop in a hidden tab, and refresh at once when it is visible again', async () => {
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().includes('/live/')) requests += 1;
    });
    await setHidden(page, true);
    await page.clock.fastForward(120_000);
    expect(requests).to.equal(0);
    world.put(0, { phase: 'Succeeded' });
    await setHidden(page, false);
    await rowOf(page, 0).getByText('Succeeded').waitFor();
    expect(requests).to.equal(1);
  });

  it('end with the job', async () => {
    await page.goto(`${JOBS}/${jobNameOf(0)}`);
    expect(await status()).to.contain('Live');
    const title = await page.title();
    expect(title).to.match(/^Running · /);
    world.put(0, { phase: 'Failed', reason: 'DeadlineExceeded' });
    await refresh(page, 2_000);
    await page.locator('[data-state=ended]').waitFor();
    expect(await page.title()).to.equal(title.replace('Running', 'Failed'));
    expect(await status()).to.equal('Up to date');
    let requests = 0;
    page.on('request', () => (requests += 1));
    await page.clock.fastForward(60_000);
    expect(requests).to.equal(0);
  });

  it('of a finished job are refreshed less often while its webhook is pending', async () => {
    await page.goto(`${JOBS}/${jobNameOf(0)}`);
    const webhook = { state: 'Pending', attempts: 1 } as const;
    world.put(0, { phase: 'Failed', reason: 'DeadlineExceeded', webhook });
    await refresh(page, 2_000);
    await page.getByText('Why this job failed').waitFor();
    let requests = 0;
    page.on('request', () => (requests += 1));
    await page.clock.fastForward(29_000);
    expect(requests).to.equal(0);
    world.put(0, {
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      webhook: { ...webhook, state: 'Delivered' },
    });
    await refresh(page, 2_000);
    await page.locator('[data-state=ended]').waitFor();
  });
});
