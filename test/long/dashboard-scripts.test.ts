/** What only a browser shows of the scripts and styles of the dashboard, apart from its live parts. The API server is in memory. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { keyboardOf } from '#test/support/browser/keyboard.ts';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { openAs } from '#test/support/worlds/dashboard-desk.ts';
import {
  EDITOR,
  JOBS,
  type JobListWorld,
  jobNameOf,
  keyOf,
  startJobListWorld,
  VIEWER,
} from '#test/support/worlds/dashboard-job-list.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
} from '#test/support/worlds/dashboard-project.ts';

const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 360, height: 640 };
/** A zone without summer time, so that its name is the same all year. */
const TOKYO = { timezoneId: 'Asia/Tokyo' };

describe('the frame, the forms and the charts in a browser', function () {
  this.timeout(180_000);
  const life = new AsyncDisposableStack();
  let project: DashboardProject;
  before(async function () {
    await requireBrowser(this);
    project = life.use(await startDashboardProject({}, { history: createCountedHistory() }));
    project.putProject({ displayName: 'Team A' });
    project.server.zipProjects.put(aProject('team-b'));
    project.server.zipProjects.put(aProject('photos', { displayName: 'Photo orders' }));
    project.server.zipJobs.put(
      aZipJob({ metadata: { namespace: 'photos', name: 'one', creationTimestamp: ago(180) } }),
    );
  });
  after(() => life.disposeAsync());

  function switcher(page: Page) {
    return page.getByRole('button', { name: /^Project: / });
  }

  for (const javaScriptEnabled of [true, false])
    it(`switches projects by keyboard ${javaScriptEnabled ? 'with' : 'without'} JavaScript, and stays among the jobs`, async () => {
      await using open = await openAs(project.ada, { javaScriptEnabled });
      const { page } = open;
      const keyboard = keyboardOf(page);
      await page.goto(`${HOME}/jobs`);
      await keyboard.reach(switcher(page));
      await page.keyboard.press('Enter');
      const filter = page.getByLabel('Filter projects');
      await filter.waitFor();
      await page.keyboard.press('Escape');
      await filter.waitFor({ state: 'hidden' });
      expect(await switcher(page).evaluate((one) => one.matches(':focus'))).to.equal(true);
      await page.keyboard.press('Enter');
      await filter.waitFor();
      if (javaScriptEnabled) {
        await page.keyboard.type('photo');
        expect(await page.locator('#switcher li:visible').count()).to.equal(1);
        await page.keyboard.press('Enter');
      } else await keyboard.follow(page.locator('#switcher').getByRole('link', { name: 'Photo orders' }));
      await page.waitForURL('**/projects/photos/jobs');
    });

  it('moves through the project menu with the arrow keys, and searches the list of projects with Enter', async () => {
    await using open = await openAs(project.ada);
    const { page } = open;
    await page.goto('/projects');
    await switcher(page).click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#switcher a:focus').textContent()).to.equal('Team A team-a');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type('team');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/projects?q=team');
    expect(await page.getByRole('table').getByRole('row').count()).to.equal(3);
  });

  it('shows times in the zone of the user on request, and says so', async () => {
    await using open = await openAs(project.ada, TOKYO);
    const { page } = open;
    await page.goto('/projects/photos/jobs');
    const time = page.getByRole('table').locator('time').first();
    expect(await time.getAttribute('title')).to.contain(' UTC');
    expect(await page.locator('#time-zone').textContent()).to.equal('Times are in UTC');
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('button', { name: 'Local' }).click();
    await page.getByText('Times are in Asia/Tokyo. Filters and charts are in UTC.').waitFor();
    expect(page.url()).to.contain('/projects/photos/jobs');
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const hour = String((at.getUTCHours() + 9) % 24).padStart(2, '0');
    expect(await time.getAttribute('title')).to.match(
      new RegExp(`^\\d{4}-\\d\\d-\\d\\d ${hour}:.* GMT\\+9$`),
    );
    // The choice needs the script, so without it there is none.
    await using plain = await openAs(project.ada, { ...TOKYO, javaScriptEnabled: false });
    await plain.page.goto('/projects/photos/jobs');
    await plain.page.getByRole('button', { name: /^Signed in as/ }).click();
    await plain.page.getByRole('button', { name: 'Dark' }).waitFor();
    expect(await plain.page.getByRole('button', { name: 'Local' }).isVisible()).to.equal(false);
  });

  it('prints the content only, in light colours', async () => {
    await using open = await openAs(project.ada, { colorScheme: 'dark' });
    const { page } = open;
    await page.goto('/projects/photos/jobs');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const hidden of ['.top', '.tabs', 'footer', 'main form'])
      expect(await page.locator(hidden).first().isVisible(), hidden).to.equal(false);
    expect(await page.getByRole('table').isVisible()).to.equal(true);
    const colour = await page.evaluate('getComputedStyle(document.querySelector("h1")).color');
    expect(colour).to.equal('rgb(22, 26, 32)');
  });

  it('focuses the errors of a form, which lead to the field', async () => {
    await using open = await openAs(project.ada);
    const { page } = open;
    await page.goto(`${HOME}/settings/limits`);
    const field = page.getByLabel('Active jobs');
    await field.fill('none');
    await page.getByRole('button', { name: 'Save' }).click();
    const errors = page.getByRole('alert');
    await errors.waitFor();
    expect(await errors.evaluate((one) => one.matches(':focus'))).to.equal(true);
    await errors.getByRole('link').click();
    expect(await field.evaluate((one) => one.matches(':focus'))).to.equal(true);
    expect(open.complaints).to.deep.equal([]);
  });

  it('opens one sample of code at a time', async () => {
    await using open = await openAs(project.ada, { javaScriptEnabled: false });
    const { page } = open;
    await page.goto(`${HOME}/webhook/verify`);
    await page.getByText('Python', { exact: true }).click();
    const opened = page.locator('details.sample[open] > summary');
    expect(await opened.allTextContents()).to.deep.equal(['Python']);
  });

  it('draws bars with a hatched part, axes and labels of one size on every width', async () => {
    await using open = await openAs(project.ada, { viewport: DESKTOP });
    const { page } = open;
    await page.goto(HOME);
    const chart = page.getByRole('img', { name: /^Finished jobs per hour/ });
    const failed = chart.locator('rect.bar.bad').first();
    expect(await failed.getAttribute('fill')).to.equal('url(#jobs-chart-bad)');
    expect(await page.locator('#jobs-chart-bad').count()).to.equal(1);
    expect(await chart.locator('rect.bar.good').count()).to.be.within(15, 24);
    expect((await failed.boundingBox())?.width).to.be.above(10);
    function labels(): Promise<readonly string[]> {
      return chart.locator('text:visible').allTextContents();
    }
    const many = await labels();
    expect(many.filter((text) => /^\d\d:00$/.test(text)).length).to.be.above(5);
    async function heightOf(): Promise<number | undefined> {
      return (await chart.locator('text').first().boundingBox())?.height;
    }
    const height = await heightOf();
    await page.setViewportSize(PHONE);
    expect(height).to.be.above(8);
    expect(await heightOf()).to.equal(height);
    expect((await labels()).length).to.be.below(many.length);
    expect(open.complaints).to.deep.equal([]);
  });
});

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
const COUNT = 28;
const PAGE_ROWS = 25;

/** Number of lines of each row, by the middles of its visible cells. */
const LINES_OF_ROWS = `[...document.querySelectorAll('.jobs tbody tr')].map((row) => {
  const cells = [...row.children].map((cell) => cell.getBoundingClientRect()).filter(({ height }) => height > 0);
  return new Set(cells.map(({ top, height }) => Math.round((top + height / 2) / 12))).size;
})`;

describe('the list of jobs in a browser', function () {
  this.timeout(180_000);
  let world: JobListWorld;
  before(async function () {
    await requireBrowser(this);
  });
  beforeEach(async () => {
    world = await startJobListWorld();
    for (let n = 0; n < COUNT; n += 1) world.put(n, STATUSES[n % STATUSES.length] ?? {});
  });
  afterEach(() => world[Symbol.asyncDispose]());

  for (const [who, token] of [
    ['who can edit', EDITOR],
    ['who can only view', VIEWER],
  ] as const)
    it(`starts high, has rows of one height, and cards of two lines on a phone, for a user ${who} (Q-U3)`, async () => {
      await using open = await world.open(token, { viewport: DESKTOP });
      const { page } = open;
      await page.goto(JOBS);
      const rows = page.locator('.jobs tbody tr');
      const boxes = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect()));
      // A user who can only view has a banner above.
      expect(boxes[0]?.top).to.be.below(token === EDITOR ? 320 : 380);
      const heights = boxes.map(({ height }) => height);
      expect(Math.max(...heights) - Math.min(...heights)).to.be.below(2);
      expect(Math.max(...heights)).to.be.below(60);
      await page.setViewportSize(PHONE);
      expect(await page.evaluate(LINES_OF_ROWS)).to.deep.equal(Array.from({ length: PAGE_ROWS }, () => 2));
      expect(await rows.first().innerText()).to.contain(keyOf(COUNT - 1));
      const { x = 0, width = 0 } = (await page.locator('.jobs tbody .badge').first().boundingBox()) ?? {};
      expect(x + width).to.be.below(PHONE.width / 2);
      expect((await rows.first().boundingBox())?.y).to.be.below(token === EDITOR ? 340 : 640);
    });

  for (const width of [820, 1_440])
    it(`shows every column that it has at ${width} px, and opens a job from anywhere in its row (Q-U31, Q-U12)`, async () => {
      await using open = await world.open(VIEWER, { viewport: { width, height: 800 } });
      const { page } = open;
      await page.goto(JOBS);
      const fits = await page
        .getByRole('region', { name: 'Jobs' })
        .evaluate((one) => one.scrollWidth <= one.clientWidth);
      expect(fits).to.equal(true);
      const first = page.locator('.jobs tbody tr').first();
      const box = await first.boundingBox();
      await first.click({ position: { x: (box?.width ?? 0) - 4, y: 4 } });
      await page.waitForURL(`**/${jobNameOf(COUNT - 1)}`);
    });

  it('filters and cancels jobs by keyboard alone, without JavaScript', async () => {
    await using open = await world.open(EDITOR, { viewport: DESKTOP, javaScriptEnabled: false });
    const { page } = open;
    await page.goto(JOBS);
    const keyboard = keyboardOf(page);
    await keyboard.type('Filter by key or ID', 'orders-2');
    await page.keyboard.press('Enter');
    await page.getByText('9 jobs found').waitFor();
    await keyboard.follow('Clear filters');
    await page.getByText(`${COUNT} jobs`, { exact: true }).waitFor();
    await keyboard.toggle(`Select ${keyOf(26)}`);
    await keyboard.toggle(`Select ${keyOf(24)}`);
    await keyboard.press('Cancel jobs…');
    await keyboard.press('Cancel 2 jobs');
    await page.getByRole('heading', { name: 'Cancelling 2 jobs' }).waitFor();
    await keyboard.follow('Back to jobs');
    const cancelled = page.locator('.jobs tbody tr', { hasText: 'Cancelled' });
    expect(await cancelled.locator('a.row').allInnerTexts()).to.deep.equal([keyOf(26), keyOf(24)]);
  });

  it('applies an option at once, and a range with its button; each chip removes its filter (Q-U3, Q-U34)', async () => {
    await using open = await world.open(VIEWER, { viewport: DESKTOP });
    const { page } = open;
    await page.goto(JOBS);
    await page.getByRole('button', { name: 'State', exact: true }).click();
    await page.getByRole('group', { name: 'State' }).getByText('Failed').click();
    await page.waitForURL(/\/jobs\?state=Failed$/);
    await page.getByText('7 jobs found').waitFor();
    await page.getByRole('button', { name: 'Created' }).click();
    await page.getByRole('group', { name: 'Created' }).getByText('Last 24 hours').click();
    await page.waitForURL(/\?state=Failed&within=24h$/);
    await page.getByRole('button', { name: 'Created: Last 24 hours' }).click();
    await page.getByLabel('Created before (UTC)').fill('2026-01-31T10:00');
    await page.getByRole('group', { name: 'Created' }).getByRole('button', { name: 'Apply' }).click();
    // A range replaces the period.
    await page.waitForURL(/\?state=Failed&to=2026-01-31T10%3A00$/);
    await page.getByText('No jobs found').waitFor();
    await page.getByRole('link', { name: /^Remove filter Created/ }).click();
    await page.waitForURL(/\?state=Failed$/);
    await page.getByRole('link', { name: 'Waiting 7' }).click();
    await page.waitForURL(/\?state=Queued$/);
    expect(open.complaints).to.deep.equal([]);
  });

  it('applies filters with a button, without JavaScript (Q-U3)', async () => {
    await using open = await world.open(VIEWER, { viewport: DESKTOP, javaScriptEnabled: false });
    const { page } = open;
    await page.goto(JOBS);
    await page.getByRole('button', { name: 'State', exact: true }).click();
    const states = page.getByRole('group', { name: 'State' });
    await states.getByLabel('Failed').check();
    expect(new URL(page.url()).search).to.equal('');
    await states.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('7 jobs found').waitFor();
    expect(new URL(page.url()).searchParams.get('state')).to.equal('Failed');
  });

  it('does not apply options that the keyboard passes (Q-U3)', async () => {
    await using open = await world.open(VIEWER, { viewport: DESKTOP });
    const { page } = open;
    await page.goto(JOBS);
    const keyboard = keyboardOf(page);
    await keyboard.reach(page.getByRole('button', { name: 'Created' }));
    await page.keyboard.press('Enter');
    await keyboard.reach(page.getByRole('group', { name: 'Created' }).getByLabel('Any time'));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(new URL(page.url()).search).to.equal('');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?within=today$/);
  });

  it('shows a bar with the selection, where no row moves, that leaves out what cannot succeed (Q-U17)', async () => {
    world.put(25, { phase: 'Failed', failure: { code: 'SourceExpired', retriable: false } });
    await using open = await world.open(EDITOR, { viewport: { width: 1_440, height: 900 } });
    const { page } = open;
    await page.goto(JOBS);
    const bar = page.getByRole('form', { name: 'Change several jobs' });
    const rows = page.locator('.jobs tbody');
    expect(await bar.isVisible()).to.equal(false);
    const before = await rows.boundingBox();
    await page.getByLabel(`Select ${keyOf(27)}`).check();
    await page.getByText('1 selected: 1 Succeeded').waitFor();
    expect(await rows.boundingBox()).to.deep.equal(before);
    expect((await bar.boundingBox())?.y).to.be.below(before?.y ?? 0);
    expect(await bar.getByRole('button').allTextContents()).to.include('Run 1 job again…');
    expect(await bar.getByRole('button', { name: /^Cancel/ }).isVisible()).to.equal(false);
    await page.getByLabel(`Select ${keyOf(25)}`).check();
    await page.getByLabel(`Select ${keyOf(24)}`).check();
    await page.getByText('3 selected: 1 Succeeded, 1 Failed, 1 Running').waitFor();
    await bar.getByRole('button', { name: 'Cancel 1 job…' }).waitFor();
    await bar.getByRole('button', { name: 'Run 1 job again… (1 left out)' }).click();
    await page.getByRole('heading', { name: 'Run 1 job again (1 left out)' }).waitFor();
    await page.getByRole('button', { name: 'Run 1 job again' }).click();
    await page.getByRole('heading', { name: '1 job created' }).waitFor();
    await page.getByRole('link', { name: 'List of these jobs' }).click();
    await page.getByText('1 job found').waitFor();
    expect(open.complaints).to.deep.equal([]);
  });

  it('selects all jobs of the page at once', async () => {
    await using open = await world.open(EDITOR, { viewport: DESKTOP });
    const { page } = open;
    await page.goto(JOBS);
    await page.getByLabel(`Select ${keyOf(27)}`).check();
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await page.getByText(`${PAGE_ROWS} selected`).waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    expect(await page.locator('.jobs :checked').count()).to.equal(0);
    await page.getByLabel(`Select ${keyOf(27)}`).check();
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await page.getByRole('button', { name: 'Run 13 jobs again…' }).click();
    // The others are running or queued.
    await page.getByRole('heading', { name: 'Run 13 jobs again' }).waitFor();
    expect(open.complaints).to.deep.equal([]);
  });

  it('shows the new state of the jobs that were created, without a reload (Q-U35)', async () => {
    await using open = await world.open(EDITOR, { viewport: DESKTOP });
    const { page } = open;
    await page.goto(`${JOBS}?state=Succeeded`);
    await page.getByLabel(`Select ${keyOf(27)}`).check();
    await page.getByRole('button', { name: 'Run 1 job again…' }).click();
    await page.getByRole('button', { name: 'Run 1 job again' }).click();
    await page.getByRole('heading', { name: '1 job created' }).waitFor();
    const row = page.locator('tbody tr', { hasText: keyOf(27) });
    await row.getByText('Queued').waitFor();
    const name = (await row.getByRole('link').getAttribute('href'))?.split('/').at(-1) ?? '';
    world.server.zipJobs.put(
      aZipJob({
        metadata: { name, creationTimestamp: ago(1) },
        spec: { key: keyOf(27) },
        status: { phase: 'Running' },
      }),
    );
    await row.getByText('Running').waitFor();
  });

  it('opens by keyboard which right is missing', async () => {
    await using open = await world.open(VIEWER, { viewport: DESKTOP });
    const { page } = open;
    await page.goto(JOBS);
    await page.getByRole('button', { name: '… (locked)' }).first().press('Enter');
    const reason = page.getByText(/is not allowed to (patch|create) zipjobs/).filter({ visible: true });
    await reason.waitFor();
    await page.keyboard.press('Escape');
    await reason.waitFor({ state: 'detached' });
  });

  it('copies the whole ID of a job that it shows in short', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using open = await world.open(EDITOR, { viewport: DESKTOP, permissions });
    const { page } = open;
    await page.goto(JOBS);
    expect((await page.locator('.jobs code').first().boundingBox())?.width).to.be.below(80);
    await page.locator('.jobs tbody tr').first().hover();
    await page.getByRole('button', { name: `Copy ID of ${keyOf(27)}` }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(
      '0b0e9e5e-0f0a-4f5e-9d53-000000000027',
    );
  });
});
