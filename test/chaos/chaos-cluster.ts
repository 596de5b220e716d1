/** A cluster whose processes reach the API server, the store and the webhook receiver through fault proxies. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Installation, installChart } from '#test/support/processes/installation.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import type { Cluster, ClusterOptions } from '#tools/local-cluster/cluster-types.ts';
import {
  type Exchange,
  type FaultAction,
  type FaultProxy,
  startFaultProxy,
} from '#tools/local-cluster/fault-proxy.ts';
import { KubeApi } from '#tools/local-cluster/kube-api.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';
import type { ArchiveDatabase } from './archive-database.ts';
import type { Place } from './observations.ts';
import { QUICK_WATCH_SECONDS, quickValues } from './quick-values.ts';
import { noteKubernetes, noteWebhook } from './request-notes.ts';

/** Observes requests and can inject faults into them. */
export interface Listener {
  /** Requests that contain one of these texts go only to this observer; all others go to every observer. */
  readonly namespace: string;
  judge(place: Place, request: ProxiedRequest): FaultAction | undefined;
  record(place: Place, exchange: Exchange): void;
  /** The notes of a delivery of this project. */
  noteDelivery(request: ProxiedRequest): Exchange['notes'];
}

export interface ChaosCluster extends AsyncDisposable {
  /** Its store is behind the proxy. */
  readonly cluster: Cluster;
  readonly admin: KubeApi;
  readonly installation: Installation;
  readonly origin: FileOrigin;
  readonly apiServer: FaultProxy;
  /** Undefined if the chart has no history. */
  readonly archive: ArchiveDatabase | undefined;
  /** SHA-256 of the archive of each variant of `resuming` jobs, by the first one. */
  readonly archives: Map<number, string>;
  /** The webhook receiver of each namespace. */
  receiverUrl(namespace: string): string;
  listen(listener: Listener): Disposable;
  /** The node reports the pods of a namespace as if its clock was ahead by this much. */
  setNodeClock(namespace: string, aheadMs: number): void;
  /** Runs tasks one at a time. */
  alone(task: () => Promise<void>): Promise<void>;
}

/** What the node does differently for some pods. */
export interface PodSettings {
  /** The address of the API server for pods that start from now on; undefined for the server itself. */
  apiServerUrl: string | undefined;
  /** By how much the clock of the node is ahead, by namespace. */
  readonly aheadMs: Map<string, number>;
}

export function createPodSettings(): PodSettings {
  return { apiServerUrl: undefined, aheadMs: new Map() };
}

/** The options with which the cluster of these settings starts. */
export function podOptions(
  pods: PodSettings,
): Required<Pick<ClusterOptions, 'apiServerUrlFor' | 'clockAheadMsFor'>> {
  return {
    apiServerUrlFor: () => pods.apiServerUrl,
    clockAheadMsFor: ({ metadata }) => pods.aheadMs.get(metadata.namespace) ?? 0,
  };
}

export interface ChaosClusterOptions {
  readonly cluster: Cluster;
  /** Settings of pods, which the cluster reads through `podOptions`. */
  readonly pods: PodSettings;
  /** Chart values; by default those with short waits. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** The history database of these values. */
  readonly archive?: ArchiveDatabase | undefined;
  /** Maximum duration of a watch at the API server; undefined: as the client requests. */
  readonly watchSeconds?: number | undefined;
}

function namespaceOf(place: Place, path: string): string | undefined {
  if (place === 'api-server') return /\/namespaces\/([^/?]+)/.exec(path)?.[1];
  const [, first = ''] = path.split(/[/?]/);
  return place === 'store' ? first.replace(/-archives$/, '') : first;
}

async function certificates(cluster: Cluster, name: string): Promise<{ cert: string; key: string }> {
  function file(end: string): Promise<string> {
    return readFile(join(cluster.dir, 'certificates', `${name}.${end}`), 'utf8');
  }
  const [cert, key] = await Promise.all([file('crt'), file('key')]);
  return { cert, key };
}

type Handle = (place: Place) => {
  readonly judge: (request: ProxiedRequest) => FaultAction | undefined;
  readonly record: (exchange: Exchange) => void;
  readonly noteDelivery: (request: ProxiedRequest) => Exchange['notes'];
};

async function startProxies(
  { cluster, watchSeconds }: ChaosClusterOptions,
  receiverUrl: string,
  handle: Handle,
): Promise<{ apiServer: FaultProxy; store: FaultProxy; receiver: FaultProxy }> {
  // Both listen on 127.0.0.1, so the certificate of the API server is valid for the proxy.
  const tls = { ca: cluster.apiServer.ca, ...(await certificates(cluster, 'apiserver')) };
  function rewrite(path: string): string {
    return watchSeconds === undefined
      ? path
      : path.replace(/timeoutSeconds=\d+/, `timeoutSeconds=${watchSeconds}`);
  }
  const handled = handle('receiver');
  function note(request: ProxiedRequest) {
    return { ...noteWebhook(request), ...handled.noteDelivery(request) };
  }
  const [apiServer, store, receiver] = await Promise.all([
    startFaultProxy({
      upstream: cluster.apiServer.url,
      tls,
      note: noteKubernetes,
      rewrite,
      ...handle('api-server'),
    }),
    startFaultProxy({ upstream: cluster.store.endpoint, ...handle('store') }),
    startFaultProxy({ upstream: receiverUrl, note, ...handled }),
  ]);
  return { apiServer, store, receiver };
}

function createSwitchboard(): { handle: Handle; listen: ChaosCluster['listen'] } {
  const listeners = new Map<string, Listener>();
  function ownerOf(place: Place, path: string) {
    return listeners.get(namespaceOf(place, path) ?? '');
  }
  return {
    listen: (listener) => {
      listeners.set(listener.namespace, listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener.namespace) };
    },
    handle: (place) => ({
      judge: (request) => {
        const owner = ownerOf(place, request.path);
        for (const listener of owner ? [owner] : listeners.values()) {
          const action = listener.judge(place, request);
          if (action !== undefined) return action;
        }
        return undefined;
      },
      record: (exchange) => ownerOf(place, exchange.request.path)?.record(place, exchange),
      noteDelivery: (request) => ownerOf(place, request.path)?.noteDelivery(request) ?? {},
    }),
  };
}

/** Installs the chart with short waits, behind proxies. */
export async function startChaosCluster(options: ChaosClusterOptions): Promise<ChaosCluster> {
  const { cluster, pods, values = quickValues } = options;
  await using started = new AsyncDisposableStack();
  const origin = started.use(await startFileOrigin());
  const receiver = started.use(await startWebhookReceiver());
  const { handle, listen } = createSwitchboard();
  const withDefaults = { watchSeconds: QUICK_WATCH_SECONDS, ...options };
  const proxies = await startProxies(withDefaults, receiver.url, handle);
  for (const proxy of [proxies.apiServer, proxies.store, proxies.receiver]) started.use(proxy);
  const identity = await certificates(cluster, 'admin');
  const admin = new KubeApi({ url: cluster.apiServer.url, ca: cluster.apiServer.ca, ...identity });
  started.defer(() => admin.close());
  pods.apiServerUrl = proxies.apiServer.url;
  started.defer(() => {
    pods.apiServerUrl = undefined;
    pods.aheadMs.clear();
  });
  const behindProxy: Cluster = { ...cluster, store: { ...cluster.store, endpoint: proxies.store.url } };
  const installation = await installChart(behindProxy, values);
  let last: Promise<unknown> = Promise.resolve();
  const resources = started.move();
  return {
    cluster: behindProxy,
    admin,
    installation,
    origin,
    apiServer: proxies.apiServer,
    archive: options.archive,
    archives: new Map(),
    receiverUrl: (namespace) => `${proxies.receiver.url}/${namespace}`,
    listen,
    setNodeClock: (namespace, aheadMs) => void pods.aheadMs.set(namespace, aheadMs),
    alone: (task) => {
      const done = last.then(task);
      last = done.catch(() => undefined);
      return done;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
