import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const UNPACK = join(import.meta.dirname, 'unpack-chromium.ts');

/** A browser and its additional environment variables. */
export interface BrowserProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The npm package contains a build only for this platform. */
export function hasPackagedChromium(): boolean {
  return process.platform === 'linux' && process.arch === 'x64';
}

async function packageVersion(): Promise<string> {
  const manifest = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string };
  return version;
}

/** The fonts of the machine, if any, then those of the package. */
function fontsConfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}

/** Tests of several processes may start at once: the first complete folder is used. */
async function unpackInto(folder: string): Promise<void> {
  await mkdir(join(folder, '..'), { recursive: true });
  const unfinished = await mkdtemp(`${folder}.`);
  try {
    await promisify(execFile)(process.execPath, [UNPACK], { env: { ...process.env, TMPDIR: unfinished } });
    await writeFile(join(unfinished, 'fonts.conf'), fontsConfig(folder));
    await rename(unfinished, folder);
  } catch (error) {
    if (!existsSync(join(folder, 'chromium'))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * The Chromium of the npm package, which needs no system package. The first call per version unpacks 200 MB
 * into `$XDG_CACHE_HOME/zipjobs`.
 */
export async function packagedChromium(env = process.env): Promise<BrowserProgram> {
  const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(cache, 'zipjobs', `chromium-${await packageVersion()}`);
  const path = join(folder, 'chromium');
  if (!existsSync(path)) await unpackInto(folder);
  return {
    path,
    env: {
      // libnss3 and related libraries, which Debian installs only with a browser.
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}
