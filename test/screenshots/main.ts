/**
 * Takes screenshots of every page of the dashboard with Chromium, on the local cluster with the real controller,
 * of states.ts in memory, and of history-states.ts with PostgreSQL: `npm run screenshots -- [--folder FOLDER] [--format png] [--only START_OF_NAME]
 * [--widths all] [--without-cluster]`. That in README.md is also written to docs/screenshots. The exit code is 1 when a page is wider than its window.
 */
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopSharedBrowser } from '#test/support/browser/browser.ts';
import { type OpenPage, startDashboardDesk } from '#test/support/worlds/dashboard-desk.ts';
import { stopSharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { fillProject } from './fill-project.ts';
import { galleryOf } from './gallery.ts';
import { historyShots, openHistoryStates } from './history-states.ts';
import type { Shot } from './shot.ts';
import { shotsOf } from './shots.ts';
import { openStates, stateShots } from './states.ts';
import { type Format, fileOf, takeShot, type Widths } from './take-shots.ts';

const NAMESPACE = 'photo-orders';
const ENV = {
  DASHBOARD_API_URL: 'https://zips.example.com',
  // Only for the sign-in button: no user signs in with it.
  DASHBOARD_OIDC_ISSUER: 'https://login.example.com',
  DASHBOARD_OIDC_CLIENT_ID: 'zipjobs-dashboard',
};

/** The screenshot in README.md: on a desktop, in both colour schemes. */
const IN_README = { folder: 'docs/screenshots', name: 'job-failed', format: 'webp' } as const;

interface Wanted {
  readonly folder: string;
  readonly format: Format;
  readonly widths: Widths;
  /** Start of the names; empty for all. */
  readonly only: string;
  /** Skips the shots that need the cluster. */
  readonly isWithoutCluster: boolean;
}

function readWanted(): Wanted {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: 'screenshots' },
      format: { type: 'string', default: 'webp' },
      widths: { type: 'string', default: 'few' },
      only: { type: 'string', default: '' },
      'without-cluster': { type: 'boolean', default: false },
    },
  });
  return {
    folder: values.folder,
    format: values.format === 'png' ? 'png' : 'webp',
    widths: values.widths === 'all' ? 'all' : 'few',
    only: values.only,
    isWithoutCluster: values['without-cluster'],
  };
}

interface Taken {
  readonly shots: readonly Pick<Shot, 'name' | 'title'>[];
  readonly faults: readonly string[];
}

async function takeAll<User extends string>(
  shots: readonly Shot<User>[],
  open: Readonly<Record<User, OpenPage>>,
  wanted: Wanted,
): Promise<Taken> {
  const faults: string[] = [];
  const asked = shots.filter(({ name }) => name.startsWith(wanted.only));
  for (const shot of asked) {
    console.log(`${shot.name}: ${shot.title}`);
    faults.push(...(await takeShot(open[shot.who].page, shot, wanted)));
  }
  return { shots: asked, faults };
}

async function copyForReadme(shots: Taken['shots'], { folder, format }: Wanted): Promise<void> {
  if (format !== IN_README.format) return;
  for (const shot of shots.filter(({ name }) => name === IN_README.name))
    for (const colorScheme of ['light', 'dark'] as const) {
      const file = fileOf(shot, { device: 'desktop', colorScheme }, format);
      await copyFile(join(folder, file), join(IN_README.folder, file));
    }
}

async function takeInCluster(wanted: Wanted): Promise<Taken> {
  await using desk = await startDashboardDesk(NAMESPACE, ENV);
  const jobs = await fillProject(desk.flow);
  await using nobody = await desk.open();
  await using admin = await desk.open();
  await using viewer = await desk.open();
  await admin.signIn((await desk.addUser('ada', 'admin')).token);
  await viewer.signIn((await desk.addUser('vera', 'view')).token);
  const shots = shotsOf(NAMESPACE, desk.flow.project.bucketName, jobs);
  return await takeAll(shots, { nobody, admin, viewer }, wanted);
}

async function takeStates(wanted: Wanted): Promise<Taken> {
  await using life = new AsyncDisposableStack();
  return await takeAll(stateShots, await openStates(life), wanted);
}

async function takeHistory(wanted: Wanted): Promise<Taken> {
  await using life = new AsyncDisposableStack();
  return await takeAll(historyShots, await openHistoryStates(life), wanted);
}

async function main(): Promise<readonly string[]> {
  const wanted = readWanted();
  const isComplete = wanted.only === '' && !wanted.isWithoutCluster;
  if (isComplete) await rm(wanted.folder, { recursive: true, force: true });
  const states = await takeStates(wanted);
  const history = await takeHistory(wanted);
  const inCluster = wanted.isWithoutCluster ? { shots: [], faults: [] } : await takeInCluster(wanted);
  const shots = [...inCluster.shots, ...states.shots, ...history.shots];
  await copyForReadme(shots, wanted);
  if (isComplete) await writeFile(join(wanted.folder, 'README.md'), galleryOf(shots, wanted.format));
  return [...inCluster.faults, ...states.faults, ...history.faults];
}

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
