/** Webhook, settings, buckets and new jobs in a browser: with all rights and with view only, with and without JavaScript. */
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import { openAs } from '#test/support/worlds/dashboard-desk.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const WEBHOOK = `${HOME}/webhook`;
const JOBS = 30;
const CLASS = { name: 'large', limits: { activeJobs: 50, storedJobs: 40_000, storedBytes: 536_870_912 } };

function aDeliveredJob(n: number): ZipJob {
  const log = [{ at: ago(100 + n), durationMs: 9, bytes: 200, attempt: 1, status: 500 }];
  return aZipJob({
    metadata: { namespace: TEAM, name: `job-${n}` },
    spec: { key: `${n}.zip`, files: [{ url: 'https://files.example.com/a', filename: 'a.txt' }] },
    status: finishedAs('Failed', { webhook: { state: 'Exhausted', deliveryId: `msg_${n}`, log } }),
  });
}

describe('what users change, in a browser', function () {
  this.timeout(180_000);
  const life = new AsyncDisposableStack();
  let project: DashboardProject;
  before(async function () {
    await requireBrowser(this);
    project = life.use(await startDashboardProject({}, { history: createCountedHistory() }));
    project.putProject({ webhook: { url: 'https://hooks.example.com/' } }, { status: { class: CLASS } });
    project.putBucket(aBucket(TEAM, 's3', 'archive'));
    for (let n = 0; n < JOBS; n += 1) {
      project.server.zipJobs.put(aDeliveredJob(n));
      project.objects.put(COLLECTIONS.zipJobs, aDeliveredJob(n));
    }
  });
  after(() => life.disposeAsync());

  for (const who of ['ada', 'viewer'] as const)
    for (const javaScriptEnabled of [true, false]) {
      const how = `${who === 'ada' ? 'all rights' : 'view only'}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`;
      const canChange = who === 'ada';

      it(`the webhook has tabs, a menu, pages and payloads (${how}) (Q-U14, Q-U15)`, async () => {
        await using open = await openAs(project[who], { javaScriptEnabled });
        const { page } = open;
        await page.goto(WEBHOOK);
        await page.getByRole('button', { name: 'More actions' }).click();
        const menu = page.locator('#more');
        await menu.getByText('Rotate secret').waitFor();
        expect(await menu.getByRole('link', { name: 'Rotate secret' }).count()).to.equal(canChange ? 1 : 0);
        if (!canChange) {
          await menu.getByRole('button', { name: 'Rotate secret (locked)' }).click();
          await page.getByText('not allowed to get secrets').waitFor();
        }
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
        await page.getByText('1–25 of 30 deliveries').waitFor();
        await page.getByRole('link', { name: 'Next' }).click();
        await page.getByText('26–30 of 30 deliveries').waitFor();
        await page.getByRole('link', { name: 'Previous' }).click();
        await page.getByText('1–25 of 30 deliveries').waitFor();
        // The whole row leads to the delivery.
        await page
          .getByRole('row', { name: /^0\.zip/ })
          .getByText('HTTP 500')
          .click({ force: true });
        await page.locator('#payload').waitFor();
        expect(await page.locator('#payload').textContent()).to.contain('"key":"0.zip"');
        expect(await page.getByRole('button', { name: 'Copy as curl' }).isVisible()).to.equal(
          javaScriptEnabled,
        );
        expect(await page.getByRole('button', { name: 'Resend', exact: true }).count()).to.equal(
          canChange ? 1 : 0,
        );
        expect(open.complaints).to.deep.equal([]);
      });

      it(`the settings have meters, a side navigation and a danger zone (${how}) (Q-U23, Q-U24)`, async () => {
        await using open = await openAs(project[who], { javaScriptEnabled });
        const { page } = open;
        await page.goto(`${HOME}/settings`);
        expect(
          await page.getByRole('progressbar', { name: 'Used of stored jobs' }).getAttribute('value'),
        ).to.equal('30');
        await page
          .getByRole('navigation', { name: 'Settings' })
          .getByRole('link', { name: 'Danger zone' })
          .click();
        const zone = page.getByRole('region', { name: 'Danger zone' });
        expect(await zone.getByRole('heading').evaluate((one) => one.matches(':target'))).to.equal(true);
        expect(await zone.getByRole('link', { name: 'Delete project…' }).count()).to.equal(canChange ? 1 : 0);
        expect(await zone.getByRole('button', { name: 'Delete project… (locked)' }).count()).to.equal(
          canChange ? 0 : 1,
        );
        expect(open.complaints).to.deep.equal([]);
      });

      it(`a new job is filled in from a failed one (${how}) (Q-U22)`, async () => {
        await using open = await openAs(project[who], { javaScriptEnabled });
        const { page } = open;
        const status = (await page.goto(`${HOME}/new-job?from=job-0`))?.status();
        expect(status).to.equal(canChange ? 200 : 403);
        if (!canChange) return;
        expect(await page.locator('#urls').inputValue()).to.equal('https://files.example.com/a a.txt');
        expect(await page.locator('#key').inputValue()).to.equal('0.zip');
        expect(await page.getByLabel('Metadata for the webhook').inputValue()).to.equal('{"order":1.0}');
        expect(open.complaints).to.deep.equal([]);
      });
    }
});
