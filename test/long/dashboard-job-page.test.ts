/** The page of one job in a browser: with full permissions and view only, with and without JavaScript. */
import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { addAxe, axeIssues } from '#test/support/browser/axe.ts';
import { aZipJob, UUID } from '#test/support/builders/objects.ts';
import { aSourceCheck, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { until } from '#test/support/until.ts';
import { type OpenPage, openAs } from '#test/support/worlds/dashboard-desk.ts';
import {
  EDITOR,
  JOB_PAGE,
  type JobPageWorld,
  startJobPageWorld,
  VIEWER,
} from '#test/support/worlds/job-page.ts';

const FILES = Array.from({ length: 12 }, (_, n) => ({
  url: `https://photos.example.com/${n}?sig=SECRET`,
  filename: `photo-${n + 1}.jpg`,
}));
const USERS = { 'full permissions': EDITOR, 'view only': VIEWER } as const;
const EVERY_MS = 3_000;

function aJobWith(status: ZipJobStatus) {
  const { filesFrom } = aZipJob().spec;
  return aZipJob({
    metadata: { creationTimestamp: secondsAgo(60), annotations: {} },
    spec: { key: 'orders/48448.zip', ...(filesFrom && { filesFrom: { ...filesFrom, count: 12 } }) },
    status,
  });
}

function secondsAgo(seconds: number): string {
  return `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19)}Z`;
}

const FAILED = aJobWith(
  finishedAs('Failed', {
    failure: { code: 'SourceNotFound', fileIndex: 7, httpStatus: 404, retriable: false },
    sourceCheck: {
      ...aSourceCheck(1),
      checked: 12,
      failures: [{ fileIndex: 7, code: 'SourceNotFound', httpStatus: 404 }],
    },
  }),
);

function aRunningJob() {
  const { progress, ...status } = running('p1', { conditions: [], acceptedAt: secondsAgo(60) });
  return aJobWith({
    ...status,
    startedAt: secondsAgo(30),
    ...(progress && {
      progress: {
        ...progress,
        bytesTotal: 4_000,
        bytesPerSecond: 33,
        estimatedEndAt: secondsAgo(-90),
        updatedAt: secondsAgo(0),
      },
    }),
  });
}

function line(message: string, level = 'info') {
  return { level, time: new Date().toISOString(), process: 'zipper', message };
}

describe('the page of a job in a browser', function () {
  this.timeout(120_000);
  let world: JobPageWorld;
  let opened: OpenPage;
  let page: Page;
  const life = new AsyncDisposableStack();
  before(async function () {
    await requireBrowser(this);
    world = life.use(await startJobPageWorld());
  });
  after(() => life.disposeAsync());
  beforeEach(() => {
    world.list(FILES);
    world.log(line('started'));
  });
  afterEach(async () => {
    expect(opened.complaints).to.deep.equal([]);
    await opened[Symbol.asyncDispose]();
  });
  async function open(token: string, options: BrowserContextOptions = {}): Promise<void> {
    opened = await openAs(await world.visit(token), options);
    page = opened.page;
    await addAxe(page);
  }
  /** The next refreshes, with the clock of the page moved on. */
  async function refresh(part: RegExp): Promise<void> {
    const response = page.waitForResponse(part);
    await page.clock.fastForward(EVERY_MS);
    await (await response).finished();
  }
  function button(name: string) {
    return page.getByRole('button', { name });
  }

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without';
    for (const [who, token] of Object.entries(USERS))
      it(`has state, age, ID and actions beside its title, ${how} JavaScript, for ${who} (Q-U9)`, async () => {
        world.put(FAILED);
        await open(token, { javaScriptEnabled });
        await page.goto(JOB_PAGE);
        const title = page.locator('header.title');
        expect(await title.getByRole('heading', { level: 1 }).textContent()).to.equal('orders/48448.zip');
        expect(await title.locator('.badge').textContent()).to.contain('Failed');
        expect(await title.locator('#job-id').textContent()).to.equal(UUID);
        const isFull = token === EDITOR;
        if (isFull)
          expect(
            await title.getByRole('link', { name: 'New job from this list' }).getAttribute('href'),
          ).to.match(new RegExp(`/new-job\\?from=${UUID}$`));
        else await title.getByRole('button', { name: 'Run again (locked)' }).waitFor();
        if (isFull) {
          expect(await button('Run again').isVisible()).to.equal(false);
          await button('More actions').click();
          await button('Run again').waitFor();
        }
        if (javaScriptEnabled) expect(await axeIssues(page)).to.deep.equal([]);
      });
  }

  it('names host and file for a user who may read the file list, and only the number for others (Q-O7)', async () => {
    world.put(FAILED);
    await open(EDITOR);
    await page.goto(JOB_PAGE);
    const why = page.getByRole('region', { name: 'Why this job failed' });
    await why.getByText('photos.example.com responded with 404 for photo-8.jpg (file 8 of 12).').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await why.getByRole('button', { name: 'Copy host' }).click();
    await until('the host to be copied', async () => {
      return (await page.evaluate('navigator.clipboard.readText()')) === 'photos.example.com';
    });
    await using viewer = await openAs(await world.visit(VIEWER));
    await viewer.page.goto(JOB_PAGE);
    await viewer.page.getByText('The server responded with 404 Not Found for file 8 of 12.').waitFor();
    expect(await viewer.page.content())
      .to.not.contain('photo-8.jpg')
      .and.to.not.contain('photos.example');
  });

  it('is in two columns on a wide window and in one on a phone, without scrolling sideways (Q-U8)', async () => {
    world.put(FAILED);
    await open(EDITOR);
    await page.goto(JOB_PAGE);
    const [stages, details] = ['Stages', 'Details'].map((name) => page.getByRole('region', { name }));
    for (const [width, isWide] of [
      [1440, true],
      [820, false],
      [375, false],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      const [left, right] = [await stages?.boundingBox(), await details?.boundingBox()];
      expect((right?.x ?? 0) > (left?.x ?? 0) + (left?.width ?? 0), `${width}`).to.equal(isWide);
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width}`).to.be.at.most(width);
    }
  });

  it('has bars that show what is done, with the percentage, speed and time left once (Q-U6, Q-U7)', async () => {
    world.put(aRunningJob());
    await open(EDITOR);
    await page.goto(JOB_PAGE);
    const bars = page.locator('.stage', { hasText: 'Uploading' }).locator('rect');
    const [done, rest] = [await bars.nth(0).boundingBox(), await bars.nth(1).boundingBox()];
    expect((done?.width ?? 0) / ((done?.width ?? 0) + (rest?.width ?? 1))).to.be.closeTo(0.25, 0.02);
    expect(await page.locator('.stage text').textContent()).to.equal('25 %');
    expect(await page.locator('header.title .progress').innerText()).to.match(
      /25 %, 33 B\/s, about 1 min 30 s left/,
    );
    expect((await page.locator('main').innerText()).split('B/s')).to.have.lengthOf(2);
    expect(await page.getByRole('progressbar', { name: 'Progress' }).count()).to.equal(1);
    expect(await axeIssues(page)).to.deep.equal([]);
  });

  it('shows the log without JavaScript after a page load (Q-U29)', async () => {
    world.put(aRunningJob());
    await open(EDITOR, { javaScriptEnabled: false });
    await page.goto(JOB_PAGE);
    await page.getByRole('link', { name: 'Show last lines' }).click();
    await page.getByRole('cell', { name: 'started' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?log=last');
    await page.getByRole('link', { name: 'Raw' }).click();
    await page.getByText('{"level":"info"').waitFor();
  });

  describe('with a live log', () => {
    beforeEach(async () => {
      world.put(aRunningJob());
      await open(EDITOR);
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 10_000);
      await page.goto(JOB_PAGE);
      await page.evaluate('window.isSamePage = true');
      await page.getByRole('link', { name: 'Show last lines' }).click();
      await page.clock.runFor(1);
      await page.getByRole('cell', { name: 'started' }).waitFor();
    });

    it('adds lines while the job runs, without a page load, and ends with the job (Q-U29)', async () => {
      world.log(line('started'), line('retrying a source', 'warn'));
      await refresh(/\/log\?log=last/);
      await page.locator('td.level.warn').waitFor();
      expect(await page.evaluate('window.isSamePage')).to.equal(true);
      world.put(FAILED);
      world.log(line('started'), line('the task failed', 'error'));
      await refresh(/\/log\?log=last/);
      await page.getByText('Why this job failed').waitFor();
      await page.getByRole('cell', { name: 'the task failed' }).waitFor();
      await page.locator('[data-state=ended]').waitFor();
      let requests = 0;
      page.on('request', () => (requests += 1));
      await page.clock.fastForward(60_000);
      expect(requests).to.equal(0);
    });

    it('keeps a search of the log and an open menu through updates (Q-U29)', async () => {
      world.log(line('started'), line('uploaded part 1'));
      await refresh(/\/log\?log=last/);
      await page.getByRole('cell', { name: 'uploaded part 1' }).waitFor();
      await page.getByLabel('Search the log').fill('PART');
      await page.getByRole('cell', { name: 'started' }).waitFor({ state: 'hidden' });
      await button('Cancel job…').click();
      world.log(line('started'), line('uploaded part 1'), line('uploaded part 2'), line('waiting'));
      await refresh(/\/log\?log=last/);
      await page.getByRole('cell', { name: 'uploaded part 2' }).waitFor();
      expect(await page.locator('#log-lines tr:visible').count()).to.equal(2);
      expect(await page.getByLabel('Search the log').inputValue()).to.equal('PART');
      expect(await page.getByRole('button', { name: 'Cancel job', exact: true }).isVisible()).to.equal(true);
    });

    it('copies the lines as text (Q-U29)', async () => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await button('Copy the log').click();
      await until('the log to be copied', async () =>
        /\d\d:\d\d:\d\d\.\d{3} info started\s*$/.test(
          String(await page.evaluate('navigator.clipboard.readText()')),
        ),
      );
    });
  });
});
