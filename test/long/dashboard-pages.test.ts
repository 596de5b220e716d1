import { expect } from 'chai';
import { fillProject } from '#test/screenshots/fill-project.ts';
import type { Shot, Who } from '#test/screenshots/shot.ts';
import { shotsOf } from '#test/screenshots/shots.ts';
import { overhangOf } from '#test/screenshots/take-shots.ts';
import { requireBrowser, requirePostgres } from '#test/support/processes/require-programs.ts';
import {
  dashboardRoutes,
  MOST_VIEW_BYTES,
  pagePaths,
  viewBytes,
} from '#test/support/servers/dashboard-routes.ts';
import { ADA } from '#test/support/servers/dashboard-server.ts';
import { startPostgres } from '#test/support/servers/postgres-server.ts';
import {
  type DashboardDesk,
  moderateIssues,
  type OpenPage,
  openPage,
  seriousIssues,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';
import { startDashboardHistory } from '#test/support/worlds/dashboard-history.ts';
import { VIEW } from '#test/support/worlds/dashboard-project.ts';
import { fillOnCallProject, ON_CALL_PARAMS } from '#test/support/worlds/on-call-project.ts';

const NAMESPACE = 'dashboard-pages';
const DESKTOP = { width: 1_120, height: 700 };
const PHONE = { width: 360, height: 640 };
const KIB = 1_024;

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

describe('every route of the dashboard that is a page', function () {
  this.timeout(600_000);
  const life = new AsyncDisposableStack();
  let url: string;
  let paths: readonly string[];
  before(async function () {
    await requireBrowser(this);
    await requirePostgres(this);
    const project = life.use(await startDashboardHistory(life.use(await startPostgres())));
    fillOnCallProject(project);
    url = project.server.url;
    paths = ['/sign-in', ...pagePaths(dashboardRoutes(project.server, project.history), ON_CALL_PARAMS)];
  });
  after(() => life.disposeAsync());

  const VISITS = [
    { who: 'a user with full rights', token: ADA, javaScriptEnabled: true, statuses: [200] },
    {
      who: 'a user with full rights without JavaScript',
      token: ADA,
      javaScriptEnabled: false,
      statuses: [200],
    },
    { who: 'a user who can only view', token: VIEW, javaScriptEnabled: true, statuses: [200, 403] },
  ];
  for (const { who, token, javaScriptEnabled, statuses } of VISITS)
    it(`opens for ${who}, has no moderate issue in axe, and weighs less than 100 KiB`, async () => {
      await using open = await openPage(url, { javaScriptEnabled });
      const { page, complaints } = open;
      await open.signIn(token);
      const faults: string[] = [];
      const weights: number[] = [];
      for (const path of paths) {
        const response = await page.goto(path);
        const get = async (part: string): Promise<string> => (await page.request.get(part)).text();
        const bytes = await viewBytes(await get(path), get);
        weights.push(bytes);
        const status = response?.status() ?? 0;
        // The search for a job without its ID is an invalid form.
        if (!statuses.includes(status) && !(path === '/find' && status === 422))
          faults.push(`${path}: HTTP ${status}`);
        if (bytes > MOST_VIEW_BYTES) faults.push(`${path}: ${bytes} bytes`);
        // axe needs timers, which do not run without JavaScript. The document is the same.
        const issues = javaScriptEnabled ? await moderateIssues(page) : [];
        faults.push(...issues.map((issue) => `${path}: ${issue}`));
      }
      console.log(`      ${paths.length} pages, the largest ${Math.ceil(Math.max(...weights) / KIB)} KiB`);
      expect(faults).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
    });
});
