import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApply } from './apply-objects.ts';
import { type Binaries, ensureBinaries } from './binaries.ts';
import { openClusterDir } from './cluster-dir.ts';
import type { Cluster, ClusterOptions, NodelessCluster } from './cluster-types.ts';
import { createTools, writeToolShims } from './command-line-tools.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { createImageTable } from './images.ts';
import type { KubeApi } from './kube-api.ts';
import type { LogServerOptions } from './node-agent/log-server.ts';
import { addNode, startNode } from './nodes.ts';
import { preferSession } from './prefer-session.ts';
import { readyPodAddress } from './readiness.ts';
import type { ServerProcess } from './server-process.ts';
import { createBucket, startStore } from './store.ts';
import { createUserKubeconfigs } from './user-kubeconfigs.ts';

const NODE_NAME = 'local';

/**
 * Starts a local cluster. The first start builds its programs, which takes minutes and is reported to `log`. Disposing
 * it stops all its processes and removes its folder. SIGINT and SIGTERM do the same before they end this process,
 * unless `endOnSignals` is false.
 * @throws ClusterError if a part does not start; then nothing is left behind
 */
export function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return startWith(options, async (life) => {
    const started = await startPlane(options, life);
    return { ...started.cluster, ...(await startLocalNode(started, options, life)) };
  });
}

/** The same without the node. */
export function startNodelessCluster(options: ClusterOptions = {}): Promise<NodelessCluster> {
  return startWith(options, async (life) => (await startPlane(options, life)).cluster);
}

async function startWith<T>(
  options: ClusterOptions,
  start: (life: AsyncDisposableStack) => Promise<T>,
): Promise<T> {
  const life = new AsyncDisposableStack();
  if (options.endOnSignals !== false) life.use(endOnSignals(() => life.disposeAsync()));
  try {
    return await start(life);
  } catch (error) {
    await life.disposeAsync();
    throw error;
  }
}

interface StartedPlane {
  readonly cluster: NodelessCluster;
  readonly plane: ControlPlane;
  readonly admin: KubeApi;
  readonly binaries: Binaries;
}

/** As in Kubernetes. */
const JOB_BACKOFF_MS = 10_000;

async function startPlane(options: ClusterOptions, life: AsyncDisposableStack): Promise<StartedPlane> {
  const binaries = await ensureBinaries(options.log ?? (() => undefined));
  const { path: dir } = life.use(await openClusterDir(options));
  function onProcess(process: ServerProcess): void {
    life.defer(() => process.kill());
  }
  const { apiServerFlags = [], apiServerMemoryGib = 2, jobBackoffMs = JOB_BACKOFF_MS } = options;
  const settings = { apiServerFlags, apiServerMemoryGib, jobBackoffMs };
  const [plane, store] = await Promise.all([
    startControlPlane({ dir, binary: binaries.controlPlane, ...settings, onProcess }),
    startStore({ dir, binary: binaries.store, launcher: binaries.cluster, onProcess }),
  ]);
  const admin = await plane.clientOf('admin');
  life.defer(() => admin.close());
  const kubeconfigPath = plane.adminKubeconfigPath;
  const tools = { kubectl: binaries.controlPlane, helm: binaries.cluster, dir, kubeconfigPath };
  await writeToolShims(tools);
  const cluster: NodelessCluster = {
    dir,
    kubeconfigPath,
    apiServer: { url: plane.url, caPath: plane.caPath, ca: await readFile(plane.caPath, 'utf8') },
    store,
    read: (path) => admin.get(path),
    create: (path, body) => admin.create(path, body),
    apply: createApply(admin),
    ...createTools(tools),
    readyPodAddress: (namespace, labels, signal) => readyPodAddress(admin, { namespace, labels }, signal),
    kubeconfigFor: createUserKubeconfigs({ binary: binaries.cluster, dir, plane }),
    createBucket: (name) => createBucket(store, name),
    restartApiServer: () => plane.restartApiServer(),
    pauseControllers: () => plane.pauseControllers(),
    trustIssuer: (issuer) => plane.trustIssuer(issuer),
    compactEtcd: () => plane.compactEtcd(),
    snapshotEtcd: () => plane.snapshotEtcd(),
    [Symbol.asyncDispose]: () => life.disposeAsync(),
  };
  return { cluster, plane, admin, binaries };
}

async function startLocalNode(
  { cluster: { dir }, plane, admin, binaries }: StartedPlane,
  options: ClusterOptions,
  life: AsyncDisposableStack,
): Promise<Pick<Cluster, 'node' | 'addNode'>> {
  await preferSession();
  const nodes = {
    plane,
    admin,
    dir,
    binary: binaries.cluster,
    agent: {
      images: createImageTable(options.images ?? {}),
      logAccess: await readLogAccess(plane),
      apiServerUrlFor: options.apiServerUrlFor ?? (() => undefined),
      extraEnvFor: options.extraEnvFor ?? (() => ({})),
      clockAheadMsFor: options.clockAheadMsFor ?? (() => 0),
    },
  };
  const { agent: node } = life.use(await startNode(nodes, { name: NODE_NAME, isOnly: true }));
  return { node, addNode: (name) => addNode(nodes, { name, life }) };
}

/** The node uses the API server's certificate, because both listen on 127.0.0.1. */
async function readLogAccess({
  certificates,
  caPath,
}: ControlPlane): Promise<Omit<LogServerOptions, 'find'>> {
  function file(name: string): Promise<string> {
    return readFile(join(certificates, name), 'utf8');
  }
  const [cert, key, ca] = await Promise.all([
    file('apiserver.crt'),
    file('apiserver.key'),
    readFile(caPath, 'utf8'),
  ]);
  return { cert, key, ca, reader: 'admin' };
}

/** Stops the cluster on a signal. Then the signal ends this process, unless another listener handles it. */
function endOnSignals(stop: () => Promise<void>): Disposable {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  function remove(): void {
    signals.forEach((signal) => process.off(signal, onSignal));
  }
  function onSignal(signal: NodeJS.Signals): void {
    // This listener runs first, so the count includes listeners that remove themselves when called.
    const handledElsewhere = process.listenerCount(signal) > 1;
    void stop().finally(() => {
      remove();
      if (!handledElsewhere) process.kill(process.pid, signal);
    });
  }
  for (const signal of signals) process.prependListener(signal, onSignal);
  return { [Symbol.dispose]: remove };
}
