/** The Chromium of the npm package on a machine that has neither a browser nor its libraries and fonts. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { chromium } from 'playwright-core';
import { hasPackagedChromium, packagedChromium } from '#test/support/browser/packaged-chromium.ts';

describe('the packaged Chromium', function () {
  this.timeout(120_000);
  let cache: string;
  before(async () => {
    cache = await mkdtemp(join(tmpdir(), 'zipjobs-chromium-'));
  });
  after(() => rm(cache, { recursive: true }));

  it('starts after two test runs unpack it at the same time', async function () {
    if (!hasPackagedChromium()) this.skip();
    const env = { XDG_CACHE_HOME: cache };
    const [first, second] = await Promise.all([packagedChromium(env), packagedChromium(env)]);
    expect(second).to.deep.equal(first);
    expect(await readdir(join(cache, 'zipjobs'))).to.have.lengthOf(1);
    const browser = await chromium.launch({ executablePath: first.path, env: first.env });
    try {
      const page = await browser.newPage();
      await page.setContent('<span>wide</span>');
      expect((await page.locator('span').boundingBox())?.width).to.be.greaterThan(20);
    } finally {
      await browser.close();
    }
  });
});
