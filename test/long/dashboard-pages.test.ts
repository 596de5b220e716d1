/** Every page of the dashboard in a browser. The API server and the history are in memory. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { ZipJob } from '#crds/zip-job.ts';
import { archivedForm } from '#runtime/history/archived-form.ts';
import { overhangOf } from '#test/screenshots/take-shots.ts';
import { addAxe, axeIssues } from '#test/support/browser/axe.ts';
import { aFinishedJob, idOf } from '#test/support/builders/archived-jobs.ts';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { ago } from '#test/support/builders/objects.ts';
import { readRefused } from '#test/support/builders/refused-requests.ts';
import { anUpload, progressOf } from '#test/support/builders/zip-job-statuses.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { dashboardRoutes, pagePaths } from '#test/support/servers/dashboard-routes.ts';
import { type OpenPage, openAs, openPage } from '#test/support/worlds/dashboard-desk.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
} from '#test/support/worlds/dashboard-project.ts';
import { fillOnCallProject, ON_CALL_JOBS, ON_CALL_PARAMS } from '#test/support/worlds/on-call-project.ts';

const JOBS = `${HOME}/jobs`;
const WEBHOOK = `${HOME}/webhook`;
const SETTINGS = `${HOME}/settings`;
/** A project without jobs, buckets, tokens and webhook. */
const EMPTY = '/projects/empty';
/** Number of a job that is only in the history. */
const ARCHIVED = 500;
/** Number of a second job whose webhook failed. */
const ANOTHER = 501;
/** Number of a job whose upload is continued by its second pod. */
const RESUMED = 502;

type Act = (page: Page) => Promise<unknown>;

async function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

/** Presses a button, and waits for the page with this heading. */
function pressFor(name: string, heading: string | RegExp): Act {
  return async (page) => {
    await press(page, name);
    await page.getByRole('heading', { name: heading }).waitFor();
  };
}

/** Sends a form that is not filled in. */
function pressForErrors(name: string): Act {
  return async (page) => {
    await press(page, name);
    await page.locator('#form-errors').waitFor();
  };
}

const openMenu: Act = async (page) => {
  await page.getByRole('button', { name: /^Project: / }).click();
  await page.getByLabel('Filter projects').waitFor();
};
const openMore: Act = async (page) => {
  await press(page, 'More actions');
  await page.locator('#more').waitFor();
};
const openEvents: Act = async (page) => {
  await page.locator('summary', { hasText: 'Kubernetes' }).click();
  await page.locator('details[open]').first().waitFor();
};
const CANCEL = /^Cancel \d jobs$/;
const chooseToCancel: Act = async (page) => {
  await page.locator('.jobs [name="job"]').first().check();
  await press(page, 'Select all on this page');
  await page.locator('[data-bulk="cancel"]').click();
  await page.getByRole('heading', { name: CANCEL }).waitFor();
};

const openFilter: Act = async (page) => {
  await page.getByRole('button', { name: 'Created' }).click();
  await page.getByLabel('Created from (UTC)').waitFor();
};

function jobPath(name: keyof typeof ON_CALL_JOBS): string {
  return `${JOBS}/zip-${idOf(ON_CALL_JOBS[name])}`;
}

/** As if another user had saved the settings meanwhile. */
const saveForConflict: Act = async (page) => {
  await page.locator('#region').fill('us-east-1');
  await page
    .locator('form.stack input[name="version"]')
    .evaluate((input) => input.setAttribute('value', 'earlier'));
  await pressForErrors('Save and test')(page);
};
/** The session is back for the next page. */
const sendAfterSession: Act = async (page) => {
  await page.locator('#key').fill('reports/2026.zip');
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await pressFor('Create job', 'Your session has ended')(page);
  await page.context().addCookies(cookies);
};

/** What pages show other than when they are opened at their path. */
const STATES: readonly (readonly [path: string, act?: Act])[] = [
  ['/projects?q=nothing'],
  ['/new-project', pressForErrors('Create project')],
  [`${HOME}?period=30d`],
  [JOBS, openMenu],
  [`${JOBS}?bucket=s3-exports&within=24h`],
  [`${JOBS}?token=nobody`],
  [JOBS, openFilter],
  [`${JOBS}?sort=-size`],
  ['/find?q=exports/*'],
  [`${JOBS}?from=never`],
  [JOBS, chooseToCancel],
  [jobPath('running'), openEvents],
  [jobPath('waiting')],
  [jobPath('brokenSource'), openEvents],
  [jobPath('unreported')],
  [`${JOBS}/zip-${idOf(RESUMED)}`],
  [`${JOBS}/zip-${idOf(ARCHIVED)}`],
  [`${HOME}/history?from=soon`],
  [`${HOME}/new-bucket`, pressForErrors('Save and test')],
  [`${HOME}/new-bucket`, (page) => page.getByLabel('Cloudflare R2').check()],
  [`${HOME}/new-job`, pressForErrors('Create job')],
  [`${HOME}/new-job`, sendAfterSession],
  [`${HOME}/buckets/s3/press-kit/settings`, saveForConflict],
  [`${HOME}/new-token`, pressFor('Create token', 'Your new access token')],
  [`${WEBHOOK}/deliveries?result=failed&event=COMPLETED`],
  [`${WEBHOOK}/deliveries/zip-${idOf(ON_CALL_JOBS.unreported)}`],
  [`${WEBHOOK}/deliveries?endpoint=audit`],
  [WEBHOOK, openMore],
  [`${WEBHOOK}/endpoints/audit`, openMore],
  [`${WEBHOOK}/new-endpoint`, pressForErrors('Save')],
  [`${HOME}/buckets/s3/press-kit`, openMore],
  [`${HOME}/new-job?from=${idOf(ON_CALL_JOBS.brokenSource)}`],
  [`${HOME}/new-job`, (page) => page.getByText('Options', { exact: true }).click()],
  [`${WEBHOOK}/rotate-secret`, pressFor('Rotate secret', 'Signing secret')],
  [
    `${WEBHOOK}/resend`,
    async (page) => {
      await press(page, 'Resend 2 deliveries');
      await page.getByText('2 deliveries requested').waitFor();
    },
  ],
  [
    `${SETTINGS}/job-defaults`,
    async (page) => {
      await page.getByLabel('Attempts').fill('many');
      await pressForErrors('Save')(page);
    },
  ],
  [
    `${SETTINGS}/limits`,
    async (page) => {
      await page.getByLabel('Active jobs').fill('none');
      await pressForErrors('Save')(page);
    },
  ],
  [`${SETTINGS}/delete`, pressForErrors('Delete project')],
  [`${HOME}/nowhere`],
  [EMPTY],
  [`${EMPTY}/jobs`],
  [`${EMPTY}/buckets`],
  [`${EMPTY}/tokens`],
  [`${EMPTY}/webhook`],
  [`${EMPTY}/first-steps`],
  // Last, because it changes the jobs.
  [
    JOBS,
    async (page) => {
      await chooseToCancel(page);
      await page.getByRole('button', { name: CANCEL }).click();
      await page.getByRole('link', { name: 'Back to jobs' }).waitFor();
    },
  ],
];

const DARK_PHONE = { size: { width: 360, height: 640 }, colorScheme: 'dark' } as const;
/** Between them, each colour is drawn in each scheme, and each element has each of its layouts. */
const LOOKS = [{ size: { width: 1_120, height: 700 }, colorScheme: 'light' }, DARK_PHONE] as const;
type Look = (typeof LOOKS)[number];

function resumedFrom({ status, ...job }: ZipJob): ZipJob {
  const upload = anUpload('open');
  const ended = { startedAt: ago(50), finishedAt: ago(40), class: 'disruption', upload } as const;
  return {
    ...job,
    metadata: { ...job.metadata, name: `zip-${idOf(RESUMED)}` },
    status: {
      ...status,
      job: { name: `zip-${idOf(RESUMED)}`, uid: 'job', podUid: 'pod-1' },
      attempts: [
        { ...ended, n: 1, podUid: 'pod-a' },
        { ...ended, n: 2, podUid: 'pod-b', upload: { ...upload, uploadId: 'b' }, refusal: 'LayoutChanged' },
      ],
      upload: { ...upload, uploadId: 'b', owner: 'pod-b', resumedParts: 4_712, resumedBytes: 79_054_241_792 },
    },
  };
}

/** The project after a night on call, with what only some projects have. */
function fill(project: DashboardProject): void {
  const { server, objects } = project;
  fillOnCallProject(project);
  project.putProject(
    {
      displayName: 'Photo orders',
      limits: { activeJobs: 5 },
      callerOptions: { closed: ['compression', 'object.tags'] },
      jobDefaults: { compression: 'auto', objectOptions: { tags: { team: 'sales' } } },
      webhook: {
        url: 'https://hooks.example.com/x',
        endpoints: [{ name: 'audit', url: 'https://audit.example.com/x', events: ['FAILED'] }],
      },
    },
    { status: { class: { name: 'large', limits: { activeJobs: 50, requestsPerMinute: 0 } } } },
  );
  function jobOf(n: number) {
    return objects.get(`${COLLECTIONS.zipJobs}/zip-${idOf(n)}`) as unknown as ZipJob;
  }
  // The result of several deliveries has a page.
  const unreported = jobOf(ON_CALL_JOBS.unreported);
  const another = { ...unreported, metadata: { ...unreported.metadata, name: `zip-${idOf(ANOTHER)}` } };
  server.zipJobs.put(another);
  objects.put(COLLECTIONS.zipJobs, another);
  // The chart of its throughput needs several reports of its progress.
  const running = jobOf(ON_CALL_JOBS.running);
  for (const filesDone of [1, 2, 3]) {
    const progress = { ...progressOf('pod-1', filesDone), bytesRead: 1e8 * filesDone };
    const status = { ...running.status, progress: { ...progress, updatedAt: ago(30 - 5 * filesDone) } };
    server.zipJobs.put({ ...running, status });
  }
  const resumed = resumedFrom(running);
  server.zipJobs.put(resumed);
  objects.put(COLLECTIONS.zipJobs, resumed);
  server.zipProjects.put(aProject('empty'));
}

describe('every page of the dashboard', function () {
  this.timeout(600_000);
  const life = new AsyncDisposableStack();
  let project: DashboardProject;
  let paths: readonly string[];
  before(async function () {
    await requireBrowser(this);
    const history = {
      ...createCountedHistory(),
      readJob: async () => archivedForm(aFinishedJob(ARCHIVED, { status: { phase: 'Failed' } })),
    };
    project = life.use(await startDashboardProject({}, { history, readRefused }));
    fill(project);
    paths = pagePaths(dashboardRoutes(project.server, history, readRefused), ON_CALL_PARAMS);
  });
  after(() => life.disposeAsync());

  /** How the page looks wrong. */
  async function faultsOf(
    page: Page,
    path: string,
    looks: readonly Look[] = LOOKS,
  ): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const { size, colorScheme } of looks) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      const overhang = await overhangOf(page);
      if (overhang !== '') faults.push(`${path} is wider than ${size.width}: ${overhang}`);
      faults.push(...(await axeIssues(page)).map((issue) => `${path} (${colorScheme}): ${issue}`));
    }
    return faults;
  }
  /** Opens each path, and looks at those that respond with one of the statuses. */
  async function visitAll({ page }: OpenPage, looked: readonly number[], looks?: readonly Look[]) {
    const statuses: number[] = [];
    const faults: string[] = [];
    for (const path of paths) {
      const status = (await page.goto(path))?.status() ?? 0;
      statuses.push(status);
      if (looked.includes(status)) faults.push(...(await faultsOf(page, path, looks)));
    }
    return { statuses, faults };
  }

  it('opens for a user with full permissions, has no issue in axe, and fits a phone', async () => {
    await using open = await openAs(project.ada);
    await addAxe(open.page);
    const { statuses, faults } = await visitAll(open, [200, 422]);
    // The search for a job without its ID is an invalid form.
    expect(statuses).to.deep.equal(paths.map((path) => (path === '/find' ? 422 : 200)));
    expect(faults).to.deep.equal([]);
    expect(open.complaints).to.deep.equal([]);
  });

  it('opens for a user who can only view or is denied, has no issue in axe, and fits a phone', async () => {
    await using open = await openAs(project.viewer);
    await addAxe(open.page);
    // Its colours are those of the pages with full permissions.
    const { statuses, faults } = await visitAll(open, [200], [DARK_PHONE]);
    expect(new Set(statuses)).to.deep.equal(new Set([200, 403, 422]));
    await open.page.goto(`${HOME}/tokens`);
    expect([...faults, ...(await faultsOf(open.page, 'a denied page'))]).to.deep.equal([]);
    expect(open.complaints).to.deep.equal([]);
  });

  it('has no issue in axe and fits a phone in its other states', async () => {
    await using open = await openAs(project.ada);
    await addAxe(open.page);
    const faults: string[] = [];
    for (const [index, [path, act]] of STATES.entries()) {
      await open.page.goto(path);
      await act?.(open.page);
      // Each kind of element that only states have is in several of them.
      faults.push(...(await faultsOf(open.page, path, [LOOKS[index % 2 === 0 ? 0 : 1]])));
    }
    expect(faults).to.deep.equal([]);
    expect(open.complaints).to.deep.equal([]);
  });

  it('has no issue in axe and fits a phone before the sign-in', async () => {
    await using open = await openPage(project.server.url);
    await addAxe(open.page);
    await open.page.goto('/sign-in?why=out');
    expect(await faultsOf(open.page, '/sign-in')).to.deep.equal([]);
    expect(open.complaints).to.deep.equal([]);
  });
});
