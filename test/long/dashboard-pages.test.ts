import { expect } from 'chai';
import { fillProject } from '#test/screenshots/fill-project.ts';
import { type Shot, shotsOf, type Who } from '#test/screenshots/shots.ts';
import { overhangOf } from '#test/screenshots/take-shots.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import {
  type DashboardDesk,
  type OpenPage,
  seriousIssues,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';

const NAMESPACE = 'dashboard-pages';
const DESKTOP = { width: 1_120, height: 700 };
const PHONE = { width: 360, height: 640 };

describe('every page of the dashboard', function () {
  this.timeout(600_000);
  let desk: DashboardDesk;
  let open: Record<Who, OpenPage>;
  let shots: readonly Shot[];
  const life = new AsyncDisposableStack();
  before(async function () {
    await requireBrowser(this);
    desk = life.use(await startDashboardDesk(NAMESPACE, { DASHBOARD_API_URL: 'https://zips.example.com' }));
    const jobs = await fillProject(desk.flow);
    shots = shotsOf(NAMESPACE, desk.flow.project.bucketName, jobs);
    open = { nobody: await desk.open(), admin: await desk.open(), viewer: await desk.open() };
    await open.admin.signIn((await desk.addUser('ada', 'admin')).token);
    await open.viewer.signIn((await desk.addUser('vera', 'view')).token);
  });
  after(() => life.disposeAsync());

  it('has no serious or critical issue in axe, in both colour schemes, and is no wider than a phone', async () => {
    const faults: string[] = [];
    for (const shot of shots) {
      const { page } = open[shot.who];
      page.setDefaultTimeout(60_000);
      await page.setViewportSize(DESKTOP);
      await page.goto(shot.path);
      await shot.act?.(page);
      for (const size of [DESKTOP, PHONE]) {
        await page.setViewportSize(size);
        const overhang = await overhangOf(page);
        if (overhang !== '') faults.push(`${shot.name} is wider than ${size.width}: ${overhang}`);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          // Only colours depend on the scheme.
          const issues = await seriousIssues(page, colorScheme === 'dark' ? ['color-contrast'] : undefined);
          faults.push(...issues.map((issue) => `${shot.name} (${size.width}, ${colorScheme}): ${issue}`));
        }
      }
    }
    expect(faults).to.deep.equal([]);
    for (const { complaints } of Object.values(open)) expect(complaints).to.deep.equal([]);
  });
});
