/** The keys of the dashboard, and the edges that all parts of a page share, in a browser. The API server is in memory. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import {
  EDITOR,
  JOBS,
  type JobListWorld,
  keyOf,
  startJobListWorld,
} from '#test/support/worlds/dashboard-job-list.ts';

const WIDTHS = [375, 820, 1_440, 1_920];

describe('the keys and the grid of the dashboard', function () {
  this.timeout(180_000);
  const life = new AsyncDisposableStack();
  let world: JobListWorld;
  before(async function () {
    await requireBrowser(this);
    world = life.use(await startJobListWorld());
    for (const n of [1, 2, 3]) world.put(n, { phase: 'Succeeded', reason: 'Uploaded' });
  });
  after(() => life.disposeAsync());

  function focused(page: Page): Promise<string> {
    return page.evaluate<string>(
      'document.activeElement === document.body ? "" : document.activeElement.textContent',
    );
  }

  it('search, move through the rows, select and open one, and go to a page', async () => {
    await using open = await world.open(EDITOR);
    const { page } = open;
    await page.goto(JOBS);
    await page.keyboard.press('j');
    expect(await focused(page)).to.contain(keyOf(3));
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused(page)).to.contain(keyOf(1));
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    expect(await page.locator('main table input:checked').count()).to.equal(1);
    await page.keyboard.press('k');
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    // A field that has the focus gets the letters.
    await page.keyboard.type('gjx');
    expect(await page.getByLabel('Find a job by key or ID').inputValue()).to.equal('gjx');
    await page.getByLabel('Find a job by key or ID').fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: keyOf(3) }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await page.waitForURL('**/buckets');
    expect(open.complaints).to.deep.equal([]);
  });

  it('do nothing after the user has switched them off, or with a modifier', async () => {
    await using open = await world.open(EDITOR);
    const { page } = open;
    await page.goto(JOBS);
    await page.keyboard.press('Control+j');
    expect(await focused(page)).to.not.contain(keyOf(3));
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('group', { name: 'Shortcuts' }).getByRole('button', { name: 'Off' }).click();
    await page.locator('html[data-keys="off"]').waitFor();
    await page.keyboard.press('j');
    expect(await focused(page)).to.not.contain(keyOf(3));
  });

  it('have one left and one right edge for header, tabs, content and footer at every width (Q-U1)', async () => {
    await using open = await world.open(EDITOR);
    const { page } = open;
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(JOBS);
      const edges = await page.evaluate<number[]>(`(() => {
        const left = (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().left);
        const textOf = (element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return Math.round(range.getBoundingClientRect().left);
        };
        return [left('.brand'), textOf(document.querySelector('.tabs a')), left('h1'), left('main [role="region"]'), left('#time-zone')];
      })()`);
      expect(new Set(edges).size, `${width}: ${edges.join(' ')}`).to.equal(1);
      const right = await page.evaluate<number[]>(
        `['[popovertarget="account"]', 'main [role="region"]'].map((one) => Math.round(document.querySelector(one).getBoundingClientRect().right))`,
      );
      expect(new Set(right).size, `${width}: ${right.join(' ')}`).to.equal(1);
    }
  });

  it('have a header of one line on a phone, with the search behind a button (Q-U30)', async () => {
    await using open = await world.open(EDITOR, { viewport: { width: 375, height: 800 } });
    const { page } = open;
    await page.goto(JOBS);
    const height = await page.evaluate<number>(
      'document.querySelector(".top").getBoundingClientRect().height',
    );
    expect(height).to.be.below(64);
    const search = page.getByLabel('Find a job by key or ID');
    expect(await search.isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await search.waitFor();
  });
});
