/**
 * A project whose zippers use the API server and the store through fault proxies, and whose sources the test
 * holds.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANNOTATIONS, bucketResourceName, GROUP_VERSION, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { isFinished, type ZipJob, type ZipJobSpec } from '#crds/zip-job.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type Exchange, type FaultAction, startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';
import type { Pod } from '#tools/local-cluster/node-agent/pod-types.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';
import { splitZipperEnv } from '../builders/zipper-env.ts';
import { type HeldFile, type HoldingOrigin, startHoldingOrigin } from '../servers/held-files.ts';
import { until } from '../until.ts';
import { applyObjects, createProject, type Project } from './project.ts';
import { podRoutes, sharedCluster } from './shared-cluster.ts';
import { sharedInstallation } from './shared-installation.ts';

type Judge = (request: ProxiedRequest) => FaultAction | undefined;

/** The settings of one job. Its archive is at the key `<uuid>.zip`. */
export interface OwnWorld {
  readonly spec?: Partial<ZipJobSpec>;
  /** Additional variables of its zippers, and settings of their tasks by their names for operators. */
  readonly env?: Readonly<Record<string, string>>;
  /** How far the clock of their node is ahead. */
  readonly clockAheadMs?: number;
  /** Faults of its zippers' requests to the API server. */
  readonly apiFault?: Judge;
  /** Faults of requests about its archive to the store. */
  readonly storeFault?: Judge;
  /** Called after each of these requests. */
  readonly onStore?: (exchange: Exchange) => void;
}

export interface ZipperWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly project: Project;
  readonly origin: HoldingOrigin;
  hold(): HeldFile;
  /** Creates a ZipJob with these sources and returns its UUID. */
  start(urls: readonly string[], own?: OwnWorld): Promise<string>;
  untilEnd(uuid: string): Promise<ZipJob>;
  /** Waits until an active pod has recorded an upload, and returns the pod's UID. */
  untilUploading(uuid: string, not?: string): Promise<string>;
  untilNoOpenUploads(): Promise<void>;
  kubectl(...args: readonly string[]): Promise<string>;
  jobOf(uuid: string): Promise<{ readonly failed?: number; readonly succeeded?: number }>;
}

const END_LIMIT_MS = 120_000;

/** The shortest possible timeouts, except for sources that a test holds. */
const QUICK_ENV = {
  PART_SIZE_BYTES: '5242880',
  STATUS_ACTIVATION_INTERVAL_MS: '100',
  STATUS_PROGRESS_INTERVAL_MS: '200',
  STATUS_REQUEST_TIMEOUT_MS: '3000',
  STATUS_RETRY_MAX_MS: '300',
  STORE_CONSISTENCY_MS: '300',
  STORE_RETRY_MAX_MS: '300',
  STORE_RETRY_LIMIT_MS: '10000',
  SOURCE_RETRY_LIMIT_MS: '3000',
  SOURCE_IDLE_TIMEOUT_MS: '300000',
  SOURCE_MIN_RATE_WINDOW_MS: '300000',
};

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** The job that a path or a name belongs to. */
function jobIn(text: string | undefined): string {
  return UUID.exec(text ?? '')?.[0] ?? '';
}

async function startProxies(cluster: Cluster, owns: ReadonlyMap<string, OwnWorld>) {
  function file(name: string): Promise<string> {
    return readFile(join(cluster.dir, 'certificates', name), 'utf8');
  }
  // Both listen on 127.0.0.1, so the certificate of the API server is valid for the proxy.
  const [cert, key] = await Promise.all([file('apiserver.crt'), file('apiserver.key')]);
  const tls = { ca: cluster.apiServer.ca, cert, key };
  return Promise.all([
    startFaultProxy({
      upstream: cluster.apiServer.url,
      tls,
      judge: (request) => owns.get(jobIn(request.path))?.apiFault?.(request),
    }),
    startFaultProxy({
      upstream: cluster.store.endpoint,
      judge: (request) => owns.get(jobIn(request.path))?.storeFault?.(request),
      record: (exchange) => owns.get(jobIn(exchange.request.path))?.onStore?.(exchange),
    }),
  ]);
}

/** Starts it in its own namespace on the shared installation; dispose of it after the tests. */
export async function startZipperWorld(namespace: string): Promise<ZipperWorld> {
  const cluster = await sharedCluster();
  await sharedInstallation();
  await using started = new AsyncDisposableStack();
  const origin = started.use(await startHoldingOrigin());
  const owns = new Map<string, OwnWorld>();
  const [api, store] = await startProxies(cluster, owns);
  started.use(api);
  started.use(store);
  function isOurs({ metadata, spec }: Pod): boolean {
    return metadata.namespace === namespace && spec.serviceAccountName === ZIPPER_SERVICE_ACCOUNT;
  }
  podRoutes.apiServerUrlFor = (pod) => (isOurs(pod) ? api.url : undefined);
  const storeEnv = { STORE_ALLOWED_HOSTS: new URL(store.url).host };
  const tasks = await mkdtemp(join(tmpdir(), 'zipjobs-tasks-'));
  started.defer(() => rm(tasks, { recursive: true, force: true }));
  /** A copy of the task of a pod, with the settings that are quick or those of its job. */
  function ownEnvOf({ metadata }: Pod): Readonly<Record<string, string>> {
    const { env, settings } = splitZipperEnv({ ...QUICK_ENV, ...owns.get(jobIn(metadata.name))?.env });
    const task = JSON.parse(metadata.annotations?.[ANNOTATIONS.task] ?? '{}') as object;
    const file = join(tasks, metadata.uid);
    writeFileSync(file, JSON.stringify({ ...task, settings }));
    return { TASK_FILE: file, ...storeEnv, ...env };
  }
  podRoutes.extraEnvFor = (pod) => (isOurs(pod) ? ownEnvOf(pod) : {});
  podRoutes.clockAheadMsFor = (pod) =>
    isOurs(pod) ? (owns.get(jobIn(pod.metadata.name))?.clockAheadMs ?? 0) : 0;
  started.defer(() => {
    podRoutes.apiServerUrlFor = undefined;
    podRoutes.extraEnvFor = undefined;
    podRoutes.clockAheadMsFor = undefined;
  });
  const behindProxy: Cluster = { ...cluster, store: { ...cluster.store, endpoint: store.url } };
  const project = started.use(await createProject(behindProxy, { namespace }));
  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await cluster.kubectl(['-n', namespace, ...args])).stdout;
  }
  const resources = started.move();
  return {
    cluster,
    project,
    origin,
    kubectl,
    hold: () => origin.hold({ isDripping: false }),
    start: async (urls, own = {}) => {
      const uuid = randomUUID();
      owns.set(uuid, own);
      const bucketRef = { name: bucketResourceName('s3', project.bucketName) };
      const files = urls.map((url, index) => ({ url, filename: `file-${index}` }));
      const metadata = { namespace, name: `zip-${uuid}` };
      const whole = { bucketRef, key: `${uuid}.zip`, files, ...own.spec };
      await applyObjects(cluster, [{ apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata, spec: whole }]);
      return uuid;
    },
    untilEnd: (uuid) => project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled'], END_LIMIT_MS),
    untilUploading: (uuid, not) =>
      until(
        `a pod of ${uuid} to have recorded its upload`,
        async () => {
          const { status = {} } = await project.zipJob(uuid);
          const { podUid } = status.job ?? {};
          const isOpen = status.upload?.state === 'open' && status.progress?.podUid === podUid;
          return isOpen && podUid !== not && !isFinished(await project.zipJob(uuid)) && podUid;
        },
        { limitMs: END_LIMIT_MS, intervalMs: 100 },
      ),
    untilNoOpenUploads: async () => {
      await until('no upload to be open', async () => (await project.bucket.openUploads()).length === 0);
    },
    jobOf: async (uuid) => {
      const job: unknown = JSON.parse(await kubectl('get', 'job', `zip-${uuid}`, '-o', 'json'));
      return (job as { status: { failed?: number; succeeded?: number } }).status;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
