import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { ADA } from '#test/support/servers/dashboard-server.ts';
import { type OpenPage, openPage, seriousIssues } from '#test/support/worlds/dashboard-desk.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const PATHS = [HOME, `${HOME}?period=30d`, `${HOME}/usage`, `${HOME}/history`];
const DESKTOP = { width: 1_120, height: 700 };
const PHONE = { width: 360, height: 640 };

const widthOf = async (page: Page): Promise<number> =>
  (await page.evaluate('document.documentElement.scrollWidth')) as number;

describe('the overview and the history in a browser', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let project: DashboardProject;
  before(async function () {
    await requireBrowser(this);
    project = life.use(await startDashboardProject({}, { history: createCountedHistory() }));
    const waiting = aZipJob({ metadata: { namespace: TEAM, name: 'zip-waiting' }, spec: { key: 'w.zip' } });
    project.server.zipJobs.put({ ...waiting, status: { phase: 'Queued', reason: 'SlotsTaken' } });
  });
  after(() => life.disposeAsync());

  const open = async (token: string, options: BrowserContextOptions = {}): Promise<OpenPage> => {
    const opened = await openPage(project.server.url, options);
    await opened.signIn(token);
    return opened;
  };

  for (const [who, token] of [
    ['full permissions', ADA],
    ['view permissions', 'view-token'],
  ] as const)
    it(`has no issue in axe with ${who}, in both colour schemes, and fits a phone`, async () => {
      await using opened = await open(token);
      const { page } = opened;
      const faults: string[] = [];
      for (const path of PATHS) {
        for (const size of [DESKTOP, PHONE]) {
          await page.setViewportSize(size);
          await page.goto(path);
          const width = await widthOf(page);
          if (width > size.width) faults.push(`${path} is ${width} wide at ${size.width}`);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined;
            const issues = await seriousIssues(page, rules);
            faults.push(...issues.map((issue) => `${path} (${size.width}, ${colorScheme}): ${issue}`));
          }
        }
      }
      expect(faults).to.deep.equal([]);
      expect(opened.complaints).to.deep.equal([]);
    });

  it('draws bars with a hatched part, axes and labels of one size on every width', async () => {
    await using opened = await open(ADA, { viewport: DESKTOP });
    const { page } = opened;
    await page.goto(HOME);
    const chart = page.getByRole('img', { name: /^Finished jobs per hour/ });
    const failed = chart.locator('rect.bar.bad').first();
    expect(await failed.getAttribute('fill')).to.equal('url(#jobs-chart-bad)');
    expect(await page.locator('#jobs-chart-bad').count()).to.equal(1);
    expect(await chart.locator('rect.bar.good').count()).to.be.within(15, 24);
    expect((await failed.boundingBox())?.width).to.be.above(10);
    const labels = (): Promise<readonly string[]> => chart.locator('text:visible').allTextContents();
    const many = await labels();
    expect(many.filter((text) => /^\d\d:00$/.test(text)).length).to.be.above(5);
    const heightOf = async (): Promise<number | undefined> =>
      (await chart.locator('text').first().boundingBox())?.height;
    const height = await heightOf();
    await page.setViewportSize(PHONE);
    expect(height).to.be.above(8);
    expect(await heightOf()).to.equal(height);
    expect((await labels()).length).to.be.below(many.length);
    expect(opened.complaints).to.deep.equal([]);
  });

  it('works without JavaScript, and every number leads to its list', async () => {
    await using opened = await open('view-token', { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(HOME);
    await page.getByRole('link', { name: '7 days' }).click();
    await page.getByRole('heading', { name: 'Last 7 days' }).waitFor();
    await page.getByText('Show data').click();
    const row = page.getByRole('region', { name: 'Finished jobs per day' }).getByRole('row').nth(1);
    await row.getByRole('link').nth(1).click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await page.getByText('State: Succeeded').waitFor();
    await page.getByText('State: Succeeded').click();
    expect(page.url()).to.contain('from=');
    expect(page.url()).to.not.contain('state=');
    await page.goBack();
    await page.goBack();
    const tiles = page.locator('.figures dd:not(.note)');
    expect(await tiles.count()).to.equal(12);
    expect(await tiles.locator('a').count()).to.equal(12);
  });
});
