/** `npm run dev`: a local cluster with the chart of this checkout and a project. Restarts a process when its files change. */

import { parseArgs } from 'node:util';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { upgradeRelease } from '#test/support/processes/installation.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { COMPONENTS, WATCHED_FOLDERS } from './change-effects.ts';
import { startDevProject } from './dev-project.ts';
import { type LocalAddresses, localDashboard, openLocalAddresses } from './local-addresses.ts';
import { rolloutFailureText } from './messages.ts';
import { describeOverview } from './overview.ts';
import { restartOnChange } from './restart-on-change.ts';
import { createRollouts } from './rollouts.ts';
import { startSignInLink } from './sign-in-link.ts';

const USAGE = `npm run dev
  Starts a local cluster, installs the chart, creates a project, and restarts a process when you save one of its files.
  Ctrl-C stops and removes everything.`;

const NAMESPACE = 'dev';
const SOURCE_FOLDER = 'docs';

const started = performance.now();

function print(text: string): void {
  console.log(text);
}

function step(line: string): void {
  print(`[${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s] ${line}`);
}

/** Aborts at Ctrl-C. The cluster stops at the same signal, so calls to it fail from then on. */
function listenForStop(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (!stopping.signal.aborted) print('\nStopping');
      stopping.abort();
    });
  return stopping.signal;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

/** Values for quick restarts. */
function devValues(addresses: LocalAddresses): Readonly<Record<string, unknown>> {
  return {
    dashboard: {
      ...localDashboard(addresses),
      podTemplate: unsupportedPod('dashboard', { SHUTDOWN_PAUSE_MS: 0 }),
    },
    api: { podTemplate: unsupportedPod('api', { SHUTDOWN_PAUSE_MS: 0 }) },
    controller: { replicas: 1 },
  };
}

async function runDev(cluster: Cluster, stopping: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await adminApi(cluster));
  const addresses = stack.use(await openLocalAddresses(cluster, print));
  const values = devValues(addresses);
  step('Installing the chart');
  await upgradeRelease(cluster, values);
  const rollouts = createRollouts({ cluster, api, signal: stopping });
  const failures = await Promise.all(COMPONENTS.map((component) => rollouts.wait(component)));
  const failed = failures.find((failure) => failure !== undefined);
  if (failed !== undefined)
    throw new Error(`${rolloutFailureText(failed)}\nFix it, then run npm run dev again.`);
  step('Creating the project');
  const options = { namespace: NAMESPACE, sourceFolder: SOURCE_FOLDER, print };
  const { project, origin, receiver, signInToken } = stack.use(await startDevProject(cluster, options));
  const { dashboardUrl } = addresses;
  const page = `/projects/${NAMESPACE}`;
  const link = stack.use(await startSignInLink({ dashboardUrl, token: signInToken, page }));
  stack.use(restartOnChange({ cluster, api, values, print, signal: stopping }));
  step('Ready');
  const urls = { signInUrl: link.url, originUrl: origin.origin, receiverUrl: receiver.url };
  print(describeOverview({ cluster, addresses, project, sourceFolder: SOURCE_FOLDER, ...urls }));
  print(
    `Save a file in ${WATCHED_FOLDERS.join(', ')} to apply it. A restart of the dashboard ends your session: open the link again.\nPress Ctrl-C to stop everything.`,
  );
  await untilAborted(stopping);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) return print(USAGE);
  step('Starting the local cluster');
  await using cluster = await startCluster({ log: print });
  const stopping = listenForStop();
  await runDev(cluster, stopping).catch((error: unknown) => {
    if (!stopping.aborted) throw error;
  });
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
