/** A cluster whose processes reach the API server, the store and the webhook receiver through fault proxies. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Cluster } from '../cluster/cluster-types.ts';
import { type Exchange, type FaultAction, type FaultProxy, startFaultProxy } from '../cluster/fault-proxy.ts';
import { KubeApi } from '../cluster/kube-api.ts';
import type { RunningPod } from '../cluster/node-agent/node-agent.ts';
import type { OpenStream } from '../cluster/open-stream.ts';
import type { ProxiedRequest } from '../cluster/proxied-request.ts';
import { type FileOrigin, startFileOrigin } from '../support/file-origin.ts';
import { untilTokenKnown } from '../support/flow.ts';
import { installChart, RELEASE_NAMESPACE } from '../support/installation.ts';
import { createProject, type Project } from '../support/project.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { createHistory, type History, type Place } from './history.ts';
import { noteKubernetes, noteWebhook } from './request-notes.ts';

export type Judge = (place: Place, request: ProxiedRequest) => FaultAction | undefined;

export interface ChaosWorld extends AsyncDisposable {
  readonly history: History;
  readonly project: Project;
  readonly origin: FileOrigin;
  readonly cluster: Cluster;
  /** Base URL of a ready API pod. */
  apiUrl(): Promise<string>;
  /** Asked about every request from now on; undefined for none. */
  judgeBy(judge: Judge | undefined): void;
  watches(): readonly OpenStream[];
  kill(podUid: string, signal?: NodeJS.Signals): void;
  /** Pod of the controller that holds the Lease. */
  leaderUid(): Promise<string>;
  /** Zipper pods of the project that run now. */
  zipperPods(): readonly RunningPod[];
  zipJobs(): Promise<readonly ZipJob[]>;
  /** Deletes an object of the project, as a person would. */
  remove(group: string, plural: string, name: string): Promise<void>;
}

export interface ChaosWorldOptions {
  readonly cluster: Cluster;
  /** Tells the cluster where pods that start from now on find the API server; undefined for the server itself. */
  readonly routePods: (url: string | undefined) => void;
  readonly namespace: string;
}

/** Waits as short as they may be, so that a schedule takes seconds. */
const quickValues = (run: string): Readonly<Record<string, unknown>> => ({
  api: { podAnnotations: { 'zipjobs.dev/test-run': run }, settings: { KUBE_REQUEST_TIMEOUT_MS: 5_000 } },
  controller: {
    // One is ready to lead while those that were killed wait for their restart.
    replicas: 3,
    podAnnotations: { 'zipjobs.dev/test-run': run },
    settings: {
      LEASE_DURATION_MS: 3_000,
      FULL_PASS_SECONDS: 2,
      KUBE_REQUEST_TIMEOUT_MS: 5_000,
      SETTLE_DEADLINE_SECONDS: 30,
      WEBHOOK_SCHEDULE_SECONDS: '0,1,1,2,2,3,3,5,5,5,10,10',
      WEBHOOK_TIMEOUT_MS: 3_000,
    },
  },
  zipper: {
    settings: {
      PART_SIZE_BYTES: 5_242_880,
      STATUS_CHARGE_INTERVAL_MS: 100,
      STATUS_PROGRESS_INTERVAL_MS: 500,
      STATUS_REQUEST_TIMEOUT_MS: 3_000,
      STATUS_RETRY_MAX_MS: 1_000,
      STATUS_WRITE_LIMIT_MS: 20_000,
      STORE_RETRY_MAX_MS: 1_000,
      STORE_IDLE_TIMEOUT_MS: 5_000,
    },
  },
});

interface Proxies {
  readonly apiServer: FaultProxy;
  readonly store: FaultProxy;
  readonly receiver: FaultProxy;
}

const startProxies = async (
  cluster: Cluster,
  receiverUrl: string,
  handle: (place: Place) => {
    judge: (request: ProxiedRequest) => FaultAction | undefined;
    record: (exchange: Exchange) => void;
  },
): Promise<Proxies> => {
  const file = (name: string): Promise<string> => readFile(join(cluster.dir, 'certificates', name), 'utf8');
  // Both listen on 127.0.0.1, so the API server's own certificate fits the proxy.
  const [cert, key] = await Promise.all([file('apiserver.crt'), file('apiserver.key')]);
  const tls = { ca: cluster.apiServer.ca, cert, key };
  const [apiServer, store, receiver] = await Promise.all([
    startFaultProxy({
      upstream: cluster.apiServer.url,
      tls,
      note: noteKubernetes,
      ...handle('api-server'),
    }),
    startFaultProxy({ upstream: cluster.store.endpoint, ...handle('store') }),
    startFaultProxy({ upstream: receiverUrl, note: noteWebhook, ...handle('receiver') }),
  ]);
  return { apiServer, store, receiver };
};

const adminOf = async (cluster: Cluster): Promise<KubeApi> => {
  const file = (name: string): Promise<string> => readFile(join(cluster.dir, 'certificates', name), 'utf8');
  const [cert, key] = await Promise.all([file('admin.crt'), file('admin.key')]);
  return new KubeApi({ url: cluster.apiServer.url, ca: cluster.apiServer.ca, cert, key });
};

interface ZipJobList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ZipJob[];
}

/** Follows the ZipJobs straight at the API server, so that no version is missed. */
const follow = async (
  admin: KubeApi,
  path: string,
  at: { readonly history: History; readonly signal: AbortSignal },
): Promise<void> => {
  let { resourceVersion } = (await admin.get<ZipJobList>(path)).metadata;
  while (!at.signal.aborted) {
    for await (const { type, object } of admin.watch<ZipJob>(path, resourceVersion, at.signal)) {
      if (type === 'ERROR') throw new Error(`the watch of the ZipJobs ended: ${JSON.stringify(object)}`);
      resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
      if (type !== 'BOOKMARK') at.history.zipJob(type, object);
    }
  }
};

/** Installs the chart with short waits behind proxies, and makes a project whose store and receiver are behind proxies too. */
export const startChaosWorld = async (options: ChaosWorldOptions): Promise<ChaosWorld> => {
  const { cluster, namespace, routePods } = options;
  await using started = new AsyncDisposableStack();
  const history = createHistory();
  let judge: Judge | undefined;
  const origin = started.use(await startFileOrigin());
  const receiver = started.use(await startWebhookReceiver());
  const proxies = await startProxies(cluster, receiver.url, (place) => ({
    judge: (request) => judge?.(place, request),
    record: (exchange) => history.exchange(place, exchange),
  }));
  for (const proxy of Object.values(proxies) as FaultProxy[]) started.use(proxy);
  const admin = await adminOf(cluster);
  started.defer(() => admin.close());
  routePods(proxies.apiServer.url);
  started.defer(() => routePods(undefined));
  const behindProxy: Cluster = { ...cluster, store: { ...cluster.store, endpoint: proxies.store.url } };
  const installation = await installChart(behindProxy, quickValues(namespace));
  const project = started.use(
    await createProject(behindProxy, { namespace, webhookUrl: proxies.receiver.url }),
  );
  await until('the API to answer', async () => {
    await untilTokenKnown(await installation.apiUrl(), project.token);
    return true;
  });
  const jobsPath = `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipJob}`;
  const ended = new AbortController();
  const following = follow(admin, jobsPath, { history, signal: ended.signal });
  following.catch(
    (error: unknown) => ended.signal.aborted || history.note(`lost the watch: ${String(error)}`),
  );
  started.defer(() => ended.abort());
  const leaderUid = async (): Promise<string> => {
    const { items } = await admin.get<{ items: { spec: { holderIdentity?: string } }[] }>(
      `/apis/coordination.k8s.io/v1/namespaces/${RELEASE_NAMESPACE}/leases`,
    );
    const identity = items[0]?.spec.holderIdentity ?? '';
    return cluster.node.pods().find(({ name }) => identity.startsWith(name))?.uid ?? '';
  };
  const resources = started.move();
  return {
    history,
    project,
    origin,
    cluster,
    apiUrl: () => installation.apiUrl(),
    judgeBy: (next) => {
      judge = next;
    },
    watches: () => proxies.apiServer.streams,
    kill: (podUid, signal = 'SIGKILL') => {
      const name = cluster.node.pods().find(({ uid }) => uid === podUid)?.name ?? podUid;
      history.note(`${signal} to ${name}: ${cluster.node.kill(podUid, signal)}`);
    },
    leaderUid,
    zipperPods: () =>
      cluster.node.pods().filter((pod) => pod.namespace === namespace && pod.containers.length > 0),
    zipJobs: async () => (await admin.get<ZipJobList>(jobsPath)).items,
    remove: async (group, plural, name) => {
      history.note(`delete ${plural}/${name}`);
      await admin.remove(`/${group}/namespaces/${namespace}/${plural}/${name}`, {
        propagationPolicy: 'Background',
      });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
