import { findProgram } from '../find-program.ts';
import { type BrowserProgram, hasPackagedChromium, packagedChromium } from './packaged-chromium.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

async function findSystemBrowser(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return named;
  for (const name of NAMES) {
    const path = await findProgram(name, env);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The browser at CHROMIUM_PATH, otherwise the installed one, otherwise that of the npm package. */
export async function findBrowser(env = process.env): Promise<BrowserProgram | undefined> {
  const path = await findSystemBrowser(env);
  if (path !== undefined) return { path, env: {} };
  return hasPackagedChromium() ? packagedChromium(env) : undefined;
}
