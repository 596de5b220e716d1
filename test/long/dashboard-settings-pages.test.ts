import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import type { WebhookState } from '#crds/zip-job.ts';
import { overhangOf } from '#test/screenshots/take-shots.ts';
import { openBrowser } from '#test/support/browser/browser.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import { ADA } from '#test/support/servers/dashboard-server.ts';
import { seriousIssues } from '#test/support/worlds/dashboard-desk.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
  VIEW,
} from '#test/support/worlds/dashboard-project.ts';

const SETTINGS = `${HOME}/settings`;
const WEBHOOK = `${HOME}/webhook`;
const OF_VIEWERS = [SETTINGS, WEBHOOK, `${WEBHOOK}?result=failed&event=FAILED`];
const OF_ADMINS = [
  ...OF_VIEWERS,
  ...['general', 'limits', 'job-defaults', 'caller-options', 'retention', 'delete'].map(
    (slug) => `${SETTINGS}/${slug}`,
  ),
  `${WEBHOOK}/resend`,
];
const SIZES = [
  { width: 1_120, height: 700 },
  { width: 360, height: 640 },
];
const STATES: readonly WebhookState['state'][] = ['Delivered', 'Exhausted', 'Pending'];

const fill = (project: DashboardProject): void => {
  project.putProject(
    {
      displayName: 'Photo orders',
      limits: { activeJobs: 5 },
      callerOptions: { closed: ['compression', 'object.tags'] },
      jobDefaults: { compression: 'auto', objectOptions: { tags: { team: 'sales' } } },
      webhook: { url: 'https://hooks.example.com/x' },
    },
    { status: { class: { name: 'large', limits: { activeJobs: 50, requestsPerMinute: 0 } } } },
  );
  project.putBucket(aBucket(TEAM, 's3', 'reports'));
  for (const [n, state] of [...STATES, ...STATES].entries()) {
    const log = [{ at: `2026-01-02T03:0${n}:00Z`, durationMs: 120, bytes: 400, attempt: 1, status: 500 }];
    const zipJob = aZipJob({
      metadata: { namespace: TEAM, name: `job-${n}` },
      spec: { key: `orders/4845${n}.zip` },
      status: { phase: n % 2 === 0 ? 'Succeeded' : 'Failed', webhook: { state, log } },
    });
    project.server.zipJobs.put(zipJob);
    project.objects.put(COLLECTIONS.zipJobs, zipJob);
  }
};

/** The API server is in memory; an integration test uses the same pages with a real one. */
describe('the settings and the webhook of a project in a browser', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let project: DashboardProject;
  before(async function () {
    await requireBrowser(this);
    project = life.use(await startDashboardProject());
    fill(project);
  });
  after(() => life.disposeAsync());

  const open = async (token: string, options: BrowserContextOptions = {}) => {
    const context = await openBrowser({ baseURL: project.server.url, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto('/sign-in');
    await page.getByLabel('Kubernetes token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  };

  for (const { who, token, paths } of [
    { who: 'all permissions', token: ADA, paths: OF_ADMINS },
    { who: 'view permissions', token: VIEW, paths: OF_VIEWERS },
  ])
    it(`have no issue in axe and are no wider than a phone, with ${who}`, async () => {
      await using opened = await open(token);
      const { page } = opened;
      const faults: string[] = [];
      for (const path of paths) {
        await page.goto(path);
        for (const size of SIZES) {
          await page.setViewportSize(size);
          const overhang = await overhangOf(page);
          if (overhang !== '') faults.push(`${path} is wider than ${size.width}: ${overhang}`);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            faults.push(...(await seriousIssues(page)).map((issue) => `${path} ${colorScheme}: ${issue}`));
          }
        }
      }
      expect(faults).to.deep.equal([]);
      expect(opened.complaints).to.deep.equal([]);
    });

  for (const javaScriptEnabled of [true, false])
    it(`filter deliveries and open samples ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      await using opened = await open(ADA, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(WEBHOOK);
      const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') });
      expect(await rows.count()).to.equal(6);
      await page.getByLabel('Result').selectOption({ label: 'Failed' });
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('link', { name: 'Remove filter Result: Failed' }).waitFor();
      expect(await rows.count()).to.equal(2);
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await page.getByRole('link', { name: 'Clear filters' }).waitFor({ state: 'detached' });
      expect(await rows.count()).to.equal(6);
      await page.getByText('Python', { exact: true }).click();
      expect(await page.locator('details.sample[open] > summary').allTextContents()).to.deep.equal([
        'Python',
      ]);
      expect(await page.getByRole('button', { name: 'Copy the Python sample' }).count()).to.equal(
        javaScriptEnabled ? 1 : 0,
      );
    });

  for (const javaScriptEnabled of [true, false])
    it(`lead to the field with the error, keep what was entered, and save ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      await using opened = await open(ADA, { javaScriptEnabled });
      const { page } = opened;
      await page.goto(`${SETTINGS}/limits`);
      await page.getByLabel('Active jobs').fill('51');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByRole('link').click();
      const field = page.getByLabel('Active jobs');
      expect(await field.evaluate((one) => one.matches(':focus'))).to.equal(true);
      expect(await field.inputValue()).to.equal('51');
      expect(await field.getAttribute('aria-invalid')).to.equal('true');
      await field.fill('7');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Limits saved').waitFor();
      expect(opened.complaints.filter((text) => !text.includes('422'))).to.deep.equal([]);
    });
});
