import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findBrowser } from '#test/support/browser/find-browser.ts';
import { hasPackagedChromium } from '#test/support/browser/packaged-chromium.ts';

describe('findBrowser', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zipjobs-browser-'));
    for (const name of ['system/google-chrome', 'both/google-chrome', 'both/chromium']) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), '', { mode: 0o755 });
    }
    await writeFile(join(folder, 'chromium'), '', { mode: 0o644 });
  });
  after(() => rm(folder, { recursive: true }));

  it('prefers the browser of CHROMIUM_PATH', async () => {
    const env = { CHROMIUM_PATH: '/opt/chromium', PATH: join(folder, 'both') };
    expect(await findBrowser(env)).to.deep.equal({ path: '/opt/chromium', env: {} });
  });

  for (const [path, found] of [
    ['system', 'system/google-chrome'],
    ['both', 'both/chromium'],
    ['system:both', 'both/chromium'],
  ] as const)
    it(`finds ${found} in the PATH ${path}`, async () => {
      const PATH = path.split(':').map((name) => join(folder, name));
      const env = { CHROMIUM_PATH: '', PATH: PATH.join(':') };
      expect(await findBrowser(env)).to.deep.equal({ path: join(folder, found), env: {} });
    });

  it('falls back to the npm package with its own libraries and fonts', async function () {
    if (!hasPackagedChromium()) this.skip();
    // An empty file replaces the browser, which takes seconds to unpack.
    const cache = join(folder, 'cache/zipjobs');
    const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const version = devDependencies['@sparticuz/chromium'] ?? '';
    await mkdir(join(cache, `chromium-${version}`), { recursive: true });
    await writeFile(join(cache, `chromium-${version}/chromium`), '');
    const found = await findBrowser({ PATH: folder, XDG_CACHE_HOME: join(folder, 'cache') });
    expect(found?.path).to.equal(join(cache, `chromium-${version}/chromium`));
    expect(found?.env).to.have.all.keys('LD_LIBRARY_PATH', 'FONTCONFIG_FILE');
  });
});
