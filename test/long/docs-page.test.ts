import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { overhangOf } from '#test/screenshots/take-shots.ts';
import { addAxe, axeIssues } from '#test/support/browser/axe.ts';
import { openBrowser } from '#test/support/browser/browser.ts';
import { keyboardOf } from '#test/support/browser/keyboard.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

const WIDTHS = [375, 768, 1_280, 1_920] as const;

/** Elements with text that is wider than they are, so that it scrolls on its own. */
const SCROLLING = `[...document.querySelectorAll('main *')].filter((one) => one.checkVisibility()
  && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'auto').length`;

describe('the API reference in a browser', function () {
  this.timeout(120_000);
  const life = new AsyncDisposableStack();
  let api: ApiServer;
  let page: Page;
  before(async function () {
    await requireBrowser(this);
    api = life.use(await startApiServer());
    const context = life.use(await openBrowser({ reducedMotion: 'reduce' }));
    page = await context.newPage();
    await addAxe(page);
  });
  after(() => life.disposeAsync());

  async function open(width: number, fragment = ''): Promise<void> {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('about:blank');
    await page.goto(`${api.url}/docs${fragment}`);
  }
  /** The left and right edges of the first element. */
  async function edgesOf(selector: string): Promise<readonly [left: number, right: number]> {
    const { x = 0, width = 0 } = (await page.locator(selector).first().boundingBox()) ?? {};
    return [x, x + width];
  }

  for (const width of WIDTHS)
    for (const colorScheme of ['light', 'dark'] as const)
      it(`has no issue in axe, and no text that scrolls sideways, at ${width} px in ${colorScheme} (Q-A13)`, async () => {
        await page.emulateMedia({ colorScheme });
        await open(width);
        await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
        expect(await overhangOf(page)).to.equal('');
        expect(await page.evaluate(SCROLLING)).to.equal(0);
        expect(await axeIssues(page)).to.deep.equal([]);
      });

  it('shows text and example side by side from 80rem, and below each other before', async () => {
    for (const [width, isBeside] of [
      [1_280, true],
      [1_279, false],
    ] as const) {
      await open(width);
      const [, end] = await edgesOf('#createZip ~ .columns > div');
      const [start] = await edgesOf('#createZip ~ .columns > .examples');
      expect(start >= end, String(width)).to.equal(isBeside);
    }
  });

  it('shows each row of a table as a block on a phone, with what its second cell means (Q-A13)', async () => {
    await open(375);
    const cells = page.locator('#SourceNotFound td');
    const boxes = await Promise.all([0, 1, 2].map((index) => cells.nth(index).boundingBox()));
    expect(new Set(boxes.map((box) => box?.x)).size).to.equal(1);
    const label = `getComputedStyle(document.querySelector('#SourceNotFound td:nth-child(2)'), '::before').content`;
    expect(await page.evaluate(label)).to.equal('"Retry helps: "');
  });

  it('keeps the contents in view on a wide screen, and a link to them on a phone (Q-A12)', async () => {
    await open(1_280, '#failures');
    expect((await page.locator('nav li').first().boundingBox())?.y).to.be.within(0, 900);
    await open(375, '#failures');
    expect((await page.getByRole('link', { name: 'Contents', exact: true }).boundingBox())?.y).to.be.within(
      0,
      900,
    );
  });

  it('opens an option whose address is followed (Q-A12)', async () => {
    await open(1_280);
    expect(await page.locator('[id="object.tags"]').isVisible()).to.equal(false);
    await open(1_280, '#object.tags');
    expect(await page.locator('[id="object.tags"]').isVisible()).to.equal(true);
  });

  it('chooses a language with the keyboard', async () => {
    await open(1_280);
    const keyboard = keyboardOf(page);
    await keyboard.reach(page.getByRole('radio', { name: 'curl' }));
    expect(await page.getByText('package main').first().isVisible()).to.equal(false);
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
    const start = page.getByRole('region', { name: 'Getting started' });
    expect(await start.getByRole('radio', { name: 'Go', exact: true }).isChecked()).to.equal(true);
    expect(await page.getByText('package main').first().isVisible()).to.equal(true);
    expect(await page.getByText('#!/bin/sh').first().isVisible()).to.equal(false);
  });
});
