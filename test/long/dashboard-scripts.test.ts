import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { overhangOf } from '#test/screenshots/take-shots.ts';
import { openBrowser } from '#test/support/browser/browser.ts';
import { keyboardOf } from '#test/support/browser/keyboard.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { ADA, type DashboardServer } from '#test/support/servers/dashboard-server.ts';
import { seriousIssues } from '#test/support/worlds/dashboard-desk.ts';
import { startDashboardProject, VIEW } from '#test/support/worlds/dashboard-project.ts';

const JOB = 'zip-00000000-0000-4000-8000-000000000001';
const PAGES = ['/projects', '/projects/team-a/jobs', '/projects/team-a/nowhere', '/projects/team-a/tokens'];
const PHONE = { width: 360, height: 640 };
/** A zone without summer time, so that its name is the same all year. */
const TOKYO = { timezoneId: 'Asia/Tokyo' };

/** The API server is in memory: these tests are about what surrounds a page. */
describe('the frame of the dashboard in a browser', function () {
  this.timeout(180_000);
  const life = new AsyncDisposableStack();
  let server: DashboardServer;
  before(async function () {
    await requireBrowser(this);
    const project = life.use(await startDashboardProject());
    server = project.server;
    project.putProject({ displayName: 'Team A' });
    server.zipProjects.put(aProject('team-b'));
    server.zipProjects.put(aProject('photos', { displayName: 'Photo orders' }));
    server.zipJobs.put(
      aZipJob({ metadata: { namespace: 'photos', name: JOB, creationTimestamp: ago(180_000) } }),
    );
  });
  after(() => life.disposeAsync());

  /** A page of a signed-in user. */
  const open = async (token: string, options: BrowserContextOptions = {}) => {
    const context = await openBrowser({ baseURL: server.url, ...options });
    const page = await context.newPage();
    await page.goto('/sign-in');
    await page.getByLabel('Kubernetes token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    return { page, [Symbol.asyncDispose]: () => context.close() };
  };
  const switcher = (page: Page) => page.getByRole('button', { name: /^Project: / });

  for (const javaScriptEnabled of [true, false])
    it(`switches projects by keyboard ${javaScriptEnabled ? 'with' : 'without'} JavaScript, and stays among the jobs`, async () => {
      await using opened = await open(ADA, { javaScriptEnabled });
      const { page } = opened;
      const keyboard = keyboardOf(page);
      await page.goto('/projects/team-a/jobs');
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
    await using opened = await open(ADA);
    const { page } = opened;
    await switcher(page).click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const focused = page.locator('#switcher a:focus');
    expect(await focused.textContent()).to.equal('Team A team-a');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type('team');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/projects?q=team');
    expect(await page.getByRole('table').getByRole('row').count()).to.equal(3);
  });

  it('shows a user who can only view one banner with the role that is missing', async () => {
    await using opened = await open(VIEW);
    const { page } = opened;
    await page.goto('/projects/team-a/jobs');
    expect(await page.getByText('View only.').count()).to.equal(1);
    expect(await page.getByRole('note').textContent())
      .to.contain('role edit')
      .and.contain('role admin');
    await page.goto('/projects/team-a/tokens');
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    expect(await page.getByRole('note').count()).to.equal(1);
  });

  it('keeps the tabs and the project menu on a page that does not exist', async () => {
    await using opened = await open(ADA, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto('/projects/team-a/nowhere');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Jobs' }).click();
    await page.waitForURL('**/projects/team-a/jobs');
    expect(await page.title()).to.equal('Jobs · Team A · zipjobs');
  });

  it('finds a job by its ID from any page', async () => {
    await using opened = await open(ADA, { javaScriptEnabled: false });
    const { page } = opened;
    const keyboard = keyboardOf(page);
    await keyboard.type('Find job by ID', '00000000-0000-4000-8000-000000000002');
    await keyboard.press('Find job');
    await page.getByRole('heading', { name: 'Job not found' }).waitFor();
    const found = page.waitForRequest(`**/projects/photos/jobs/${JOB}`);
    await keyboard.type('Find job by ID', JOB);
    await page.keyboard.press('Enter');
    await found;
  });

  it('shows times in the zone of the user on request, and says so', async () => {
    await using opened = await open(ADA, TOKYO);
    const { page } = opened;
    await page.goto('/projects/photos/jobs');
    const time = page.getByRole('table').locator('time').first();
    expect(await time.getAttribute('title')).to.contain(' UTC');
    expect(await page.locator('#time-zone').textContent()).to.equal('Times are in UTC');
    await page.getByRole('button', { name: 'Local' }).click();
    await page.getByText('Times are in Asia/Tokyo. Filters and charts are in UTC.').waitFor();
    expect(page.url()).to.contain('/projects/photos/jobs');
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const hour = String((at.getUTCHours() + 9) % 24).padStart(2, '0');
    expect(await time.getAttribute('title')).to.match(
      new RegExp(`^\\d{4}-\\d\\d-\\d\\d ${hour}:.* GMT\\+9$`),
    );
    // The choice needs the script, so without it there is none.
    await using plain = await open(ADA, { ...TOKYO, javaScriptEnabled: false });
    await plain.page.goto('/projects/photos/jobs');
    expect(await plain.page.getByRole('button', { name: 'Local' }).isVisible()).to.equal(false);
    expect(await plain.page.locator('#time-zone').textContent()).to.equal('Times are in UTC');
  });

  it('prints the content only, in light colours', async () => {
    await using opened = await open(ADA, { colorScheme: 'dark' });
    const { page } = opened;
    await page.goto('/projects/photos/jobs');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const hidden of ['.top', '.tabs', 'footer', 'main form'])
      expect(await page.locator(hidden).first().isVisible(), hidden).to.equal(false);
    expect(await page.getByRole('table').isVisible()).to.equal(true);
    const colour = await page.evaluate('getComputedStyle(document.querySelector("h1")).color');
    expect(colour).to.equal('rgb(26, 31, 39)');
  });

  it('has no serious issue in axe and is no wider than a phone, for every user', async () => {
    const faultsOf = async (page: Page): Promise<readonly string[]> => {
      const faults = [await overhangOf(page)];
      await switcher(page).click();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        faults.push(...(await seriousIssues(page)));
      }
      return faults.filter((fault) => fault !== '');
    };
    for (const token of [ADA, VIEW]) {
      await using opened = await open(token);
      const { page } = opened;
      for (const path of PAGES)
        for (const size of [{ width: 1_120, height: 700 }, PHONE]) {
          await page.setViewportSize(size);
          await page.goto(path);
          expect(await faultsOf(page), `${path} for ${token} at ${size.width}`).to.deep.equal([]);
        }
    }
  });
});
