/** The overview, the list of projects and the first steps in a browser. The API server and the history are in memory. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { keyboardOf } from '#test/support/browser/keyboard.ts';
import { aFinishedJob, daysAgo, idOf } from '#test/support/builders/archived-jobs.ts';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { aBucket, aProject } from '#test/support/servers/api-server.ts';
import { openAs } from '#test/support/worlds/dashboard-desk.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

/** Failed jobs of the last hour, and all of it. */
const FAILED = 12;
const ENDED = 30;
const WIDE = { width: 1_440, height: 900 };
/** 64rem wide. */
const LAPTOP = { width: 1_024, height: 900 };
const NARROW = { width: 820, height: 900 };
const USERS = ['ada', 'viewer'] as const;
const SCRIPTS = [true, false];

function testedBucket() {
  const at = daysAgo(0);
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'BucketTested',
    message: '',
    lastTransitionTime: at,
  } as const;
  return {
    ...aBucket(TEAM, 's3', 'reports'),
    status: { conditions: [ready], test: { nonce: 'a', finishedAt: at } },
  };
}

function putJobs({ server }: DashboardProject): void {
  for (let n = 1; n <= ENDED; n += 1) {
    const failure = { code: n % 4 === 0 ? 'SourceExpired' : 'SourceNotFound', retriable: false };
    const status: ZipJobStatus = n <= FAILED ? { phase: 'Failed', failure } : {};
    server.zipJobs.put(aFinishedJob(n, { finishedAt: daysAgo(0, 60 + n), key: `orders/${n}.zip`, status }));
  }
}

/** Where the regions with these names start, from the top. */
async function topsOf(page: Page, names: readonly string[]): Promise<readonly number[]> {
  const boxes = await Promise.all(
    names.map((name) => page.getByRole('region', { name, exact: true }).boundingBox()),
  );
  return boxes.map((box, index) => box?.y ?? Number.NaN * index);
}

/** Whether two elements are beside each other. */
async function areBeside(page: Page, selector: string): Promise<boolean> {
  const [first, second] = await Promise.all([0, 1].map((n) => page.locator(selector).nth(n).boundingBox()));
  return first !== undefined && first?.y === second?.y;
}

describe('the overview, the projects and the first steps in a browser', function () {
  this.timeout(180_000);
  before(async function () {
    await requireBrowser(this);
  });

  for (const who of USERS)
    for (const javaScriptEnabled of SCRIPTS)
      describe(`for ${who} ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
        it('the overview says first what is wrong, then why, then the figures (Q-U2, Q-O8)', async () => {
          await using project = await startDashboardProject();
          putJobs(project);
          await using open = await openAs(project[who], { javaScriptEnabled, viewport: WIDE });
          const { page } = open;
          await page.goto(HOME);
          const verdict = page
            .getByRole('region', { name: 'Health' })
            .getByRole('link', { name: '12 of 30 jobs failed in the last hour, 9 with SourceNotFound.' });
          expect(await verdict.isVisible()).to.equal(true);
          expect(await page.locator('.health .dot.bad').count()).to.equal(1);
          const tops = await topsOf(page, ['Health', 'Now', 'Failures by reason', 'Last 24 hours', 'Charts']);
          expect(tops).to.deep.equal(tops.toSorted((a, b) => a - b));
          // Without scrolling.
          expect(tops[3]).to.be.below(WIDE.height);
          for (const viewport of [WIDE, LAPTOP]) {
            await page.setViewportSize(viewport);
            expect(await areBeside(page, '.columns > section')).to.equal(true);
            expect(await areBeside(page, '.columns > .plot')).to.equal(true);
          }
          await page.setViewportSize(NARROW);
          expect(await areBeside(page, '.columns > section')).to.equal(false);
          expect(await areBeside(page, '.columns > .plot')).to.equal(false);
          await verdict.click();
          await page.getByText('12 jobs found').first().waitFor();
          expect(open.complaints).to.deep.equal([]);
        });

        it('each bar of a reason leads to the jobs that it counts (Q-U25)', async () => {
          await using project = await startDashboardProject();
          putJobs(project);
          await using open = await openAs(project[who], { javaScriptEnabled });
          const { page } = open;
          await page.goto(HOME);
          const reasons = page.getByRole('region', { name: 'Failures by reason' }).getByRole('listitem');
          expect(await reasons.count()).to.equal(2);
          const shares = await reasons
            .locator('progress')
            .evaluateAll((bars) =>
              bars.map((bar) => Number(bar.getAttribute('value')) / Number(bar.getAttribute('max'))),
            );
          expect(shares).to.deep.equal([9 / FAILED, 3 / FAILED]);
          await reasons.filter({ hasText: 'SourceExpired' }).getByRole('link').click();
          await page.getByText('3 jobs found').first().waitFor();
        });

        it('the row of a project leads to it, with a red dot above the threshold (Q-U18)', async () => {
          await using project = await startDashboardProject();
          const { server } = project;
          server.zipProjects.put(aProject('quiet'));
          server.tokens.set('both', {
            name: 'both',
            allowed: ['get', 'list'].flatMap((verb) =>
              ['zipprojects', 'zipjobs', 'zipbuckets'].flatMap((resource) =>
                [TEAM, 'quiet'].map((namespace) => `${verb} ${resource} ${namespace}`),
              ),
            ),
          });
          putJobs(project);
          if (who === 'viewer') await project.viewer.signIn('both');
          await using open = await openAs(project[who], { javaScriptEnabled, viewport: WIDE });
          const { page } = open;
          await page.goto('/projects');
          const row = page.getByRole('row', { name: /Too many jobs fail: team-a/ });
          expect(await row.getByRole('cell').nth(2).textContent()).to.equal(String(FAILED));
          expect(await page.locator('.dot.bad').count()).to.equal(1);
          expect(
            await page.getByRole('region', { name: 'Recent failures' }).getByRole('listitem').count(),
          ).to.equal(8);
          // Between the columns.
          const box = await row.boundingBox();
          await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 8);
          await page.waitForURL(`**${HOME}`);
        });

        it('a new project has the steps in place of its overview, one open at a time (Q-U19, Q-U20)', async () => {
          await using project = await startDashboardProject();
          project.putBucket(testedBucket());
          await using open = await openAs(project[who], { javaScriptEnabled });
          const { page } = open;
          const keyboard = keyboardOf(page);
          await page.goto(HOME);
          const opened = page.locator('details[open] > summary strong');
          expect(await opened.allTextContents()).to.deep.equal(['Create a test archive']);
          expect(await page.getByRole('button', { name: 'Create test archive' }).count()).to.equal(1);
          const request = page.locator('summary', { hasText: 'Send a request' });
          await keyboard.reach(request);
          await page.keyboard.press('Enter');
          await page.locator('#request').waitFor();
          expect(await opened.allTextContents()).to.deep.equal(['Send a request']);
          expect(await page.locator('#request').textContent()).to.contain('"bucket_name":"reports"');
          expect(open.complaints).to.deep.equal([]);
        });
      });

  it('the next step opens by itself when one is done (Q-U20)', async () => {
    await using project = await startDashboardProject();
    await using open = await openAs(project.ada);
    const { page } = open;
    await page.clock.install();
    await page.goto(`${HOME}/first-steps`);
    const opened = page.locator('details[open] > summary strong');
    expect(await opened.allTextContents()).to.deep.equal(['Add a bucket']);
    project.putBucket(testedBucket());
    await page.clock.fastForward(2_000);
    await page.getByRole('button', { name: 'Create test archive' }).waitFor();
    expect(await opened.allTextContents()).to.deep.equal(['Create a test archive']);
    // What the user has opened stays open.
    await page.locator('summary', { hasText: 'Create an access token' }).click();
    await page.getByRole('link', { name: 'New access token' }).waitFor();
    const metadata = { namespace: TEAM, name: 'test', creationTimestamp: daysAgo(0) };
    project.server.zipJobs.put(
      aZipJob({ metadata, spec: { key: 'zipjobs-test/a.zip' }, status: { phase: 'Running' } }),
    );
    await page.clock.fastForward(2_000);
    await page.getByText('Writing the archive.').waitFor();
    expect(await opened.allTextContents()).to.deep.equal(['Create an access token']);
    expect(open.complaints).to.deep.equal([]);
  });

  it('the figures of the history say which failures they do not count yet, and follow the jobs (Q-U2)', async () => {
    await using project = await startDashboardProject({}, { history: createCountedHistory() });
    project.putProject({}, { metadata: { uid: idOf(0) } });
    await using open = await openAs(project.ada);
    const { page } = open;
    await page.clock.install();
    await page.goto(HOME);
    const recent = page.getByRole('region', { name: 'Recent failures' });
    expect(await recent.getByText('not counted yet').count()).to.equal(0);
    const failure = { code: 'SourceNotFound', retriable: false };
    const status: ZipJobStatus = { phase: 'Failed', failure };
    project.server.zipJobs.put(
      aFinishedJob(900, { finishedAt: daysAgo(0, 5), key: 'orders/new.zip', status }),
    );
    await page.clock.fastForward(10_000);
    await page.getByText('1 of 1 job failed in the last hour, with SourceNotFound.').waitFor();
    const first = recent.getByRole('listitem').first();
    expect(await first.textContent())
      .to.contain('orders/new.zip')
      .and.contain('not counted yet');
    await recent.getByText('The figures do not count 1 of these jobs yet').waitFor();
    expect(open.complaints).to.deep.equal([]);
  });
});
