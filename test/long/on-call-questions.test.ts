import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { idOf } from '#test/support/builders/archived-jobs.ts';
import { aRefusedEntry, refusedRequests } from '#test/support/builders/refused-requests.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { type OpenPage, openAs } from '#test/support/worlds/dashboard-desk.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
} from '#test/support/worlds/dashboard-project.ts';
import { fillOnCallProject, ON_CALL_JOBS } from '#test/support/worlds/on-call-project.ts';

const RUNBOOK = 'docs/on-call.md';
const SECTION = '\n## Questions and the dashboard\n';
const MOST_CLICKS = 2;

/** Clicks and counts them. */
type Click = (target: Locator) => Promise<void>;
/** Goes from the overview to the place that contains the texts, and returns it. */
type Walk = (page: Page, click: Click) => Promise<Locator>;

function recent(page: Page, key: string): Locator {
  return page.getByRole('region', { name: 'Recent failures' }).getByRole('link', { name: key });
}

function menu(page: Page, label: string): Locator {
  return page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: label, exact: true });
}

function reasonOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Why this job failed' });
}

/** By question; the texts must be visible in the end. */
const WALKS: Readonly<Record<string, readonly [Walk, ...string[]]>> = {
  "Why did last night's exports fail?": [
    async (page, click) => {
      await click(recent(page, 'exports/nightly-orders.zip'));
      return reasonOf(page);
    },
    'photos.example.com responded with 403 for photo-3.jpg (file 4 of 12): its signed URL has expired',
    'Sign the URLs again',
  ],
  "Which bucket's key expired?": [
    async (page, click) => {
      await click(menu(page, 'Buckets'));
      await click(page.getByRole('row', { name: /Failed/ }).getByRole('link', { name: 'press-kit' }));
      return page.getByRole('region', { name: 'Connection' });
    },
    'The access key ID does not exist in our records.',
  ],
  'Is it us or their source?': [
    async (page, click) => {
      await click(recent(page, 'exports/product-images.zip'));
      return reasonOf(page);
    },
    'photos.example.com kept failing for photo-0.jpg (file 1 of 12): it last responded with 503.',
  ],
  'Which files cannot be downloaded?': [
    async (page, click) => {
      await click(recent(page, 'exports/invoices.zip'));
      return page.getByRole('region', { name: 'Failing files' });
    },
    '2 of 12 files could not be downloaded.',
    'photo-7.jpg',
    '410 Gone',
  ],
  'Which job has waited longest, and for what?': [
    async (page, click) => {
      await click(page.getByRole('region', { name: 'Now' }).getByRole('link', { name: /^\d+m/ }));
      return page.getByRole('main');
    },
    'Queued',
    'The project runs as many jobs as its limit allows.',
  ],
  'How many jobs failed for the same reason?': [
    async (page, click) => {
      const reasons = page.getByRole('region', { name: 'Failures by reason' }).getByRole('listitem');
      await click(reasons.filter({ hasText: 'SourceNotFound' }).getByRole('link'));
      return page.getByRole('main');
    },
    '1 job found',
    'exports/invoices.zip',
  ],
  'Did their webhook arrive?': [
    async (page, click) => {
      await click(menu(page, 'Webhook'));
      await click(page.getByRole('link', { name: 'Deliveries', exact: true }));
      return page.getByRole('row', { name: /customer-4711/ });
    },
    'Failed',
    'HTTP 503',
  ],
  'What happened to the job with this ID?': [
    async (page, click) => {
      await page.getByLabel('Find a job by key or ID').fill(idOf(ON_CALL_JOBS.unreported));
      await click(page.getByRole('button', { name: 'Find job' }));
      return page.getByRole('main');
    },
    'exports/customer-4711.zip',
    'Succeeded',
  ],
  'Did someone run it again?': [
    async (page, click) => {
      await click(recent(page, 'exports/product-images.zip'));
      return reasonOf(page);
    },
    'Reruns of this job',
    idOf(ON_CALL_JOBS.rerun),
  ],
  'Why did the API refuse their request?': [
    async (page, click) => {
      await click(menu(page, 'Refused requests'));
      return page.getByRole('region', { name: 'List of refused requests' });
    },
    'request-1',
    'parameter_invalid',
    'urls[3].url',
  ],
  'Which token sent the job?': [
    async (page, click) => {
      await click(recent(page, 'exports/nightly-orders.zip'));
      return page.getByRole('region', { name: 'Details' });
    },
    'nightly-export',
  ],
};

/** The questions of the table in docs/on-call.md. */
async function documentedQuestions(): Promise<readonly string[]> {
  const [, section = ''] = (await readFile(RUNBOOK, 'utf8')).split(SECTION);
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+\?) \|/gm)].map(
    ([, question = '']) => question,
  );
}

describe('questions of someone on call', function () {
  this.timeout(180_000);
  const life = new AsyncDisposableStack();
  let project: DashboardProject;
  before(async function () {
    await requireBrowser(this);
    function readRefused() {
      return Promise.resolve(refusedRequests([aRefusedEntry()]));
    }
    project = life.use(await startDashboardProject({}, { readRefused }));
    fillOnCallProject(project);
  });
  after(() => life.disposeAsync());

  it('are those of docs/on-call.md', async () => {
    expect(await documentedQuestions()).to.deep.equal(Object.keys(WALKS));
  });

  for (const who of ['ada', 'viewer'] as const)
    for (const javaScriptEnabled of [true, false])
      describe(`for ${who} ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
        let opened: OpenPage;
        before(async () => {
          opened = await openAs(project[who], { javaScriptEnabled });
        });
        after(() => opened[Symbol.asyncDispose]());

        for (const [question, [walk, ...texts]] of Object.entries(WALKS))
          it(`${question} takes at most ${MOST_CLICKS} clicks`, async () => {
            const { page } = opened;
            let clicks = 0;
            await page.goto(HOME);
            const place = await walk(page, async (target) => {
              clicks += 1;
              await target.click();
            });
            for (const text of texts) await place.getByText(text).first().waitFor({ state: 'visible' });
            expect(clicks).to.be.at.most(MOST_CLICKS);
          });
      });
});
