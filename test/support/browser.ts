import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The system's own Chromium: nothing is downloaded. */
const findChromium = (): string => {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
  if (found === undefined)
    throw new Error('there is no Chromium: run `apt install chromium`, or name one by CHROMIUM_PATH');
  return found;
};

let started: Promise<Browser> | undefined;

/** The one browser of a test run, started by whoever asks first. */
const sharedBrowser = (): Promise<Browser> => {
  started ??= chromium.launch({
    executablePath: findChromium(),
    // Without a locale it saves a file whose name is beyond ASCII as "download".
    env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
    // Root, as in containers, may not use Chromium's own sandbox; containers have little shared memory.
    args: ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  return started;
};

/** Ends it, if it was ever started. */
export const stopSharedBrowser = async (): Promise<void> => {
  const browser = await started?.catch(() => undefined);
  started = undefined;
  await browser?.close();
};

/** A browser as new: no cookie, no cache. Dispose of it after the test. */
export const openBrowser = async (
  options: BrowserContextOptions = {},
): Promise<BrowserContext & AsyncDisposable> => {
  const context = await (await sharedBrowser()).newContext(options);
  context.setDefaultTimeout(30_000);
  return context;
};
