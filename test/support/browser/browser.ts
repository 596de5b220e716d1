import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

async function launchBrowser(): Promise<Browser> {
  const program = await findBrowser();
  if (program === undefined)
    throw new Error('Chromium not found. Install it with: apt-get install chromium, or set CHROMIUM_PATH');
  return chromium.launch({
    executablePath: program.path,
    // Without a UTF-8 locale it saves a file with a non-ASCII name as "download".
    env: { ...process.env, ...program.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
  });
}

let started: Promise<Browser> | undefined;

/** The one browser of a test run, started on first use. */
function sharedBrowser(): Promise<Browser> {
  started ??= launchBrowser();
  return started;
}

/** Closes it if it was started. */
export async function stopSharedBrowser(): Promise<void> {
  const browser = await started?.catch(() => undefined);
  started = undefined;
  await browser?.close();
}

/** A new browser context without cookies or cache. Dispose of it after the test. */
export async function openBrowser(
  options: BrowserContextOptions = {},
): Promise<BrowserContext & AsyncDisposable> {
  const context = await (await sharedBrowser()).newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(30_000);
  return context;
}
