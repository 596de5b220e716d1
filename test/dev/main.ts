/** `npm run dev`: a local cluster with the chart of this checkout and a project. Restarts a process when its files change. */

import { parseArgs } from 'node:util';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { RELEASE_NAMESPACE, upgradeRelease } from '#test/support/processes/installation.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { COMPONENTS } from './change-effects.ts';
import { startDevProject } from './dev-project.ts';
import { rolloutFailureText } from './messages.ts';
import { describeDev } from './overview.ts';
import { type Forwarder, startForwarder } from './port-forwarder.ts';
import { restartOnChange } from './restart-on-change.ts';
import { createRollouts } from './rollouts.ts';

const USAGE = `npm run dev
  Starts a local cluster, installs the chart, creates a project, and restarts a process when you save one of its files.
  Ctrl-C stops and removes everything.`;

/** Ports of this machine that lead to the pods. */
const LOCAL_PORTS = { api: 8080, dashboard: 8081 } as const;
/** Port of requests in every pod. */
const POD_PORT = 8080;

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

async function forwardPort(cluster: Cluster, component: keyof typeof LOCAL_PORTS): Promise<Forwarder> {
  const port = LOCAL_PORTS[component];
  const labels = `app.kubernetes.io/component=${component}`;
  const forwarder = await startForwarder({
    port,
    target: async (signal) => ({
      host: await cluster.readyPodAddress(RELEASE_NAMESPACE, labels, signal),
      port: POD_PORT,
    }),
  });
  if (!forwarder.url.endsWith(`:${port}`)) print(`Port ${port} is in use. Using ${forwarder.url} instead.`);
  return forwarder;
}

/** Values for quick restarts, and a dashboard on plain HTTP. */
function devValues(apiUrl: string): Readonly<Record<string, unknown>> {
  return {
    dashboard: {
      enabled: true,
      allowHttp: true,
      settings: { DASHBOARD_API_URL: apiUrl },
      podTemplate: unsupportedPod('dashboard', { SHUTDOWN_PAUSE_MS: 0 }),
    },
    api: { podTemplate: unsupportedPod('api', { SHUTDOWN_PAUSE_MS: 0 }) },
    controller: { replicas: 1 },
  };
}

async function runDev(cluster: Cluster, stopping: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await adminApi(cluster));
  const { url: apiUrl } = stack.use(await forwardPort(cluster, 'api'));
  const { url: dashboardUrl } = stack.use(await forwardPort(cluster, 'dashboard'));
  const values = devValues(apiUrl);
  step('Installing the chart');
  await upgradeRelease(cluster, values);
  const rollouts = createRollouts({ cluster, api, signal: stopping });
  const failures = await Promise.all(COMPONENTS.map((component) => rollouts.wait(component)));
  const failed = failures.find((failure) => failure !== undefined);
  if (failed !== undefined)
    throw new Error(`${rolloutFailureText(failed)}\nFix it, then run npm run dev again.`);
  step('Creating the project');
  const { project, origin, receiver, signInTokenPath } = stack.use(await startDevProject(cluster, print));
  stack.use(restartOnChange({ cluster, api, values, print, signal: stopping }));
  step('Ready');
  const files = [
    { url: origin.url('/files/architecture.md'), filename: 'docs/architecture.md' },
    { url: origin.url('/gen/1048576/1'), filename: 'random.bin' },
  ];
  const urls = { apiUrl, dashboardUrl, originUrl: origin.origin, receiverUrl: receiver.url };
  print(describeDev({ cluster, project, signInTokenPath, files, ...urls }));
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
