/**
 * Takes screenshots of every page of the dashboard, on the local cluster with the real controller and
 * Chromium: `npm run screenshots [-- --folder FOLDER] [-- --format png] [-- --only NAME]`. Those in README.md
 * are also written to docs/screenshots. The exit code is 1 when a page is wider than its window.
 */
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopSharedBrowser } from '#test/support/browser/browser.ts';
import { type OpenPage, startDashboardDesk } from '#test/support/worlds/dashboard-desk.ts';
import { stopSharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { fillProject } from './fill-project.ts';
import { galleryOf } from './gallery.ts';
import { type Shot, shotsOf, type Who } from './shots.ts';
import { type Format, fileOf, takeShot } from './take-shots.ts';

const NAMESPACE = 'photo-orders';
const ENV = {
  DASHBOARD_API_URL: 'https://zips.example.com',
  // Only for the sign-in button: no user signs in with it.
  DASHBOARD_OIDC_ISSUER: 'https://login.example.com',
  DASHBOARD_OIDC_CLIENT_ID: 'zipjobs-dashboard',
};

/** The screenshots in README.md: on a desktop, in both colour schemes. */
const IN_README = { folder: 'docs/screenshots', names: ['overview', 'job-running'], format: 'webp' } as const;

interface Wanted {
  readonly folder: string;
  readonly format: Format;
  /** Name of one screenshot; empty for all. */
  readonly only: string;
}

const readWanted = (): Wanted => {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: 'screenshots' },
      format: { type: 'string', default: 'webp' },
      only: { type: 'string', default: '' },
    },
  });
  return { folder: values.folder, format: values.format === 'png' ? 'png' : 'webp', only: values.only };
};

const takeAll = async (shots: readonly Shot[], open: Record<Who, OpenPage>, wanted: Wanted) => {
  const faults: string[] = [];
  for (const shot of shots) {
    console.log(`${shot.name}: ${shot.title}`);
    faults.push(...(await takeShot(open[shot.who].page, shot, wanted)));
  }
  return faults;
};

const copyForReadme = async (shots: readonly Shot[], { folder, format }: Wanted): Promise<void> => {
  if (format !== IN_README.format) return;
  for (const shot of shots.filter(({ name }) => IN_README.names.some((shown) => shown === name)))
    for (const colorScheme of ['light', 'dark'] as const) {
      const file = fileOf(shot, { device: 'desktop', colorScheme }, format);
      await copyFile(join(folder, file), join(IN_README.folder, file));
    }
};

const main = async (): Promise<readonly string[]> => {
  const wanted = readWanted();
  await using desk = await startDashboardDesk(NAMESPACE, ENV);
  const jobs = await fillProject(desk.flow);
  await using nobody = await desk.open();
  await using admin = await desk.open();
  await using viewer = await desk.open();
  await admin.signIn((await desk.addUser('ada', 'admin')).token);
  await viewer.signIn((await desk.addUser('vera', 'view')).token);
  const shots = shotsOf(NAMESPACE, desk.flow.project.bucketName, jobs);
  const asked = shots.filter(({ name }) => wanted.only === '' || name === wanted.only);
  if (wanted.only === '') await rm(wanted.folder, { recursive: true, force: true });
  const faults = await takeAll(asked, { nobody, admin, viewer }, wanted);
  await copyForReadme(asked, wanted);
  if (wanted.only === '') await writeFile(join(wanted.folder, 'README.md'), galleryOf(shots, wanted.format));
  return faults;
};

try {
  const faults = await main();
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  console.error('\nThe screenshots were not taken:', error);
  process.exitCode = 1;
} finally {
  await stopSharedBrowser();
  await stopSharedCluster();
}
