import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { overhangOf } from '#test/screenshots/take-shots.ts';
import { keyboardOf } from '#test/support/browser/keyboard.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { type OpenPage, seriousIssues } from '#test/support/worlds/dashboard-desk.ts';
import {
  EDITOR,
  JOBS,
  type JobListWorld,
  keyOf,
  startJobListWorld,
  VIEWER,
} from '#test/support/worlds/dashboard-job-list.ts';

const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 360, height: 640 };
const PROGRESS = {
  podUid: 'pod',
  filesTotal: 1_000,
  filesDone: 300,
  bytesRead: 1.2e9,
  bytesTotal: 3e9,
  bytesUploaded: 0,
  display: '300/1000',
  updatedAt: '2026-05-04T12:00:00Z',
};
const STATUSES = [
  { phase: 'Running', startedAt: '2026-05-04T11:00:00Z', progress: PROGRESS },
  { phase: 'Failed', reason: 'StartDeadlineExceeded' },
  { phase: 'Queued', reason: 'OlderJobFirst' },
  { phase: 'Succeeded', startedAt: '2026-05-04T11:00:00Z', finishedAt: '2026-05-04T11:09:00Z' },
] as const;

const issuesOf = async (page: Page): Promise<readonly string[]> => {
  const issues: string[] = [];
  for (const size of [DESKTOP, PHONE])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      issues.push(...(await seriousIssues(page)), await overhangOf(page));
    }
  await page.setViewportSize(DESKTOP);
  return issues.filter((issue) => issue !== '');
};

/** Number of lines of each row, by the middles of its visible cells. */
const LINES_OF_ROWS = `[...document.querySelectorAll('.jobs tbody tr')].map((row) => {
  const cells = [...row.children].map((cell) => cell.getBoundingClientRect()).filter(({ height }) => height > 0);
  return new Set(cells.map(({ top, height }) => Math.round((top + height / 2) / 12))).size;
})`;

const rowHeights = (page: Page): Promise<readonly number[]> =>
  page.locator('.jobs tbody tr').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));

describe('the list of jobs in a browser', function () {
  this.timeout(180_000);
  let world: JobListWorld;
  before(async function () {
    await requireBrowser(this);
  });
  beforeEach(async () => {
    world = await startJobListWorld();
    for (let n = 0; n < 28; n += 1) world.put(n, STATUSES[n % STATUSES.length] ?? {});
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const openAt = async (token: string, path: string, options = {}): Promise<OpenPage> => {
    const open = await world.open(token, { viewport: DESKTOP, ...options });
    await open.page.goto(path);
    return open;
  };

  it('has rows of 36 px, and cards of two lines on a phone', async () => {
    await using open = await openAt(EDITOR, JOBS);
    expect(new Set(await rowHeights(open.page))).to.deep.equal(new Set([36]));
    await open.page.setViewportSize(PHONE);
    const lines = await open.page.evaluate(LINES_OF_ROWS);
    expect(lines).to.deep.equal(Array.from({ length: 25 }, () => 2));
    expect(await open.page.locator('.jobs tbody tr').first().innerText()).to.contain(keyOf(27));
  });

  it('has cards of two lines on a phone also for a user who can only view', async () => {
    await using open = await openAt(VIEWER, JOBS);
    await open.page.setViewportSize(PHONE);
    const lines = await open.page.evaluate(LINES_OF_ROWS);
    expect(lines).to.deep.equal(Array.from({ length: 25 }, () => 2));
    const state = open.page.locator('.jobs tbody .badge').first();
    const { x = 0, width = 0 } = (await state.boundingBox()) ?? {};
    expect(x + width).to.be.below(PHONE.width / 2);
  });

  it('has no serious issue in axe on any of its pages, in both colour schemes and on a phone', async () => {
    await using open = await openAt(EDITOR, `${JOBS}?token=nobody`);
    const { page } = open;
    expect(await issuesOf(page)).to.deep.equal([]);
    await page.goto(`${JOBS}?from=never`);
    expect(await issuesOf(page)).to.deep.equal([]);
    await page.goto(`${JOBS}?bucket=s3-archive&within=24h`);
    expect(await issuesOf(page)).to.deep.equal([]);
    for (const n of [27, 26, 25, 24]) await page.getByLabel(`Select ${keyOf(n)}`).check();
    await page.getByRole('button', { name: 'Cancel jobs…' }).click();
    await page.getByRole('heading', { name: 'Cancel 2 jobs' }).waitFor();
    expect(await issuesOf(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Cancel 2 jobs' }).click();
    await page.getByText('2 done', { exact: true }).waitFor();
    expect(await issuesOf(page)).to.deep.equal([]);
    expect(open.complaints).to.deep.equal([]);
  });

  it('filters and cancels jobs by keyboard alone, without JavaScript', async () => {
    await using open = await openAt(EDITOR, JOBS, { javaScriptEnabled: false });
    const { page } = open;
    const keyboard = keyboardOf(page);
    await keyboard.type('ID or key', 'orders-2');
    await page.keyboard.press('Enter');
    await page.getByText('9 jobs found').waitFor();
    await keyboard.follow('Remove filter ID or key: orders-2');
    await page.getByText('28 jobs', { exact: true }).waitFor();
    await keyboard.toggle(`Select ${keyOf(26)}`);
    await keyboard.toggle(`Select ${keyOf(24)}`);
    await keyboard.press('Cancel jobs…');
    await keyboard.press('Cancel 2 jobs');
    await page.getByText('2 done', { exact: true }).waitFor();
    await keyboard.follow('Back to jobs');
    const cancelled = page.locator('.jobs tbody tr', { hasText: 'Cancelled' });
    expect(await cancelled.locator('th').allInnerTexts()).to.deep.equal([keyOf(26), keyOf(24)]);
  });

  it('runs all failed jobs of a search again, and links to the new ones', async () => {
    await using open = await openAt(EDITOR, `${JOBS}?reason=StartDeadlineExceeded`);
    const { page } = open;
    await page.getByLabel('All jobs of this search').check();
    await page.getByRole('button', { name: 'Run again…' }).click();
    await page.getByRole('button', { name: 'Run 7 jobs again' }).click();
    await page.getByText('7 done', { exact: true }).waitFor();
    expect(await page.locator('tbody td a').count()).to.equal(7);
    await page.getByRole('link', { name: 'Back to jobs' }).click();
    expect(new URL(page.url()).search).to.equal('?reason=StartDeadlineExceeded');
    expect(open.complaints).to.deep.equal([]);
  });

  it('selects all jobs of the page at once', async () => {
    await using open = await openAt(EDITOR, JOBS);
    const { page } = open;
    await page.getByLabel(`Select ${keyOf(27)}`).check();
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await page.getByText('25 selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    expect(await page.locator('.jobs :checked').count()).to.equal(0);
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await page.getByRole('button', { name: 'Run again…' }).click();
    // The others are running or queued.
    await page.getByRole('heading', { name: 'Run 13 jobs again' }).waitFor();
    expect(open.complaints).to.deep.equal([]);
  });

  it('keeps the filters on the next page, and exports the jobs that it shows', async () => {
    await using open = await openAt(VIEWER, `${JOBS}?within=24h`, { javaScriptEnabled: false });
    const { page } = open;
    await page.getByRole('link', { name: 'Next' }).click();
    expect(new URL(page.url()).search).to.equal('?within=24h&page=2');
    expect(await page.locator('.jobs tbody tr').count()).to.equal(3);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).to.match(/^zipjobs-.*-jobs-.*\.csv$/);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).to.have.lengthOf(29);
  });

  it('shows a user who can only view which right is missing', async () => {
    await using open = await openAt(VIEWER, JOBS);
    const { page } = open;
    const locked = page.getByRole('button', { name: '… (locked)' });
    expect(await locked.count()).to.equal(2);
    for (const button of await locked.all()) {
      await button.press('Enter');
      await page
        .getByText(/is not allowed to (patch|create) zipjobs/)
        .filter({ visible: true })
        .waitFor();
      await page.keyboard.press('Escape');
    }
    expect(await page.locator('.jobs').getByRole('checkbox').count()).to.equal(0);
    expect(await issuesOf(page)).to.deep.equal([]);
    expect(new Set(await rowHeights(page))).to.deep.equal(new Set([36]));
    expect(open.complaints).to.deep.equal([]);
  });

  it('copies the whole ID of a job that it shows in short', async () => {
    await using open = await openAt(EDITOR, JOBS, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = open;
    const code = page.locator('.jobs code').first();
    expect((await code.boundingBox())?.width).to.be.below(80);
    await page.getByRole('button', { name: `Copy ID of ${keyOf(27)}` }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(
      '0b0e9e5e-0f0a-4f5e-9d53-000000000027',
    );
  });
});
