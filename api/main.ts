import type { Server } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createKnownJobs, type KnownJobs } from '#dashboard/live/known-jobs.ts';
import { type ListedJob, toListedJob } from '#dashboard/live/listed-job.ts';
import { exportBuildInfo } from '#runtime/build-info.ts';
import { pause, systemClock } from '#runtime/clock.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { toEgressOptions } from '#runtime/egress/settings.ts';
import { startAdminServer } from '#runtime/http/admin-server.ts';
import { createReadForwarded, type ReadForwarded } from '#runtime/http/client-address.ts';
import { type ListeningServer, listen } from '#runtime/http/server.ts';
import { createKubeClient } from '#runtime/kube/client.ts';
import type { KubeAccess } from '#runtime/kube/kube-access.ts';
import { createKubeConfig } from '#runtime/kube/kube-config.ts';
import { collectWatchAges, createKubeMetrics } from '#runtime/kube/kube-metrics.ts';
import type { CountCall } from '#runtime/kube/kube-request.ts';
import { createObjectClient } from '#runtime/kube/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { Lifetime } from '#runtime/lifecycle.ts';
import type { Logger } from '#runtime/log.ts';
import { createRedis } from '#runtime/redis/create-redis.ts';
import { type CountRequest, createLocalCounts, createSharedCounts } from '#runtime/redis/request-counts.ts';
import { startProcess } from '#runtime/start-process.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type AbandonZipJob, createAbandonZipJob } from './abandon-zip-job.ts';
import { createApp } from './app.ts';
import { toCachedJob } from './cached-job.ts';
import { type Caches, createCaches, NAMESPACE_INDEX, namespaceIndex } from './caches.ts';
import { collectFileLists } from './collect-file-lists.ts';
import { type ApiConfig, readApiConfig } from './config.ts';
import { createCreateZipJob } from './create-zip-job.ts';
import { createFileListLedger, type FileListLedger } from './file-list-ledger.ts';
import { createFindBucket } from './find-bucket.ts';
import { createFindZipJob } from './find-zip-job.ts';
import { createHttpServer } from './http-server.ts';
import { type ApiMetrics, createApiMetrics } from './metrics.ts';
import { createDocuments } from './openapi/documents.ts';
import { createRateLimits, type RateLimits } from './rate-limits/rate-limits.ts';
import { createReadiness } from './readiness.ts';
import { createRequestPolicy } from './request-policy.ts';
import { createZipJobRoutes, type ZipJobRoutes } from './routes/zip-jobs.ts';
import { createAuthenticate } from './tokens/authenticate.ts';
import { createNoteUse } from './tokens/last-used.ts';
import { createVerifyToken } from './tokens/verify-token.ts';

const NAME = 'zipjobs-api';
/** Time to close connections after pause and drain. */
const CLOSING_MS = 1_000;

interface Parts {
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly metrics: ApiMetrics;
  readonly caches: Caches;
  readonly clients: ReturnType<typeof createClients>;
  readonly fileLists: FileListLedger;
  readonly abandon: AbandonZipJob;
  readonly rateLimits: RateLimits;
  readonly readForwarded: ReadForwarded;
}

const createClients = (kube: ReturnType<typeof createKubeClient>) => ({
  zipJobs: createObjectClient(kube, RESOURCES.zipJobs),
  zipBuckets: createObjectClient(kube, RESOURCES.zipBuckets),
  zipTokens: createObjectClient(kube, RESOURCES.zipTokens),
  zipProjects: createObjectClient(kube, RESOURCES.zipProjects),
  secrets: createObjectClient(kube, RESOURCES.secrets),
});

const createRoutes = ({ config, log, metrics, caches, clients, fileLists, abandon }: Parts): ZipJobRoutes =>
  createZipJobRoutes({
    requestPolicy: createRequestPolicy({
      egress: createEgressPolicy(toEgressOptions(config)),
      limits: config,
    }),
    findBucket: createFindBucket({ buckets: caches.zipBuckets, bucketClient: clients.zipBuckets }),
    createZipJob: createCreateZipJob({
      jobClient: clients.zipJobs,
      secretClient: clients.secrets,
      fileLists,
      abandon,
      metrics,
      clock: systemClock,
      log,
      instance: config.instance,
    }),
    findZipJob: createFindZipJob({ jobs: caches.zipJobs, jobClient: clients.zipJobs }),
    workTimeoutMs: config.workTimeoutMs,
    helpUrl: config.helpUrl,
  });

/** Undefined without REDIS_URL; this replica must then be the only one. */
const connectRedis = ({ config, log }: Pick<Parts, 'config' | 'log'>, resources: AsyncDisposableStack) =>
  config.redisUrl === ''
    ? undefined
    : resources.use(
        createRedis(config, (error) => {
          log.debug({ err: error }, 'no connection to Redis');
        }),
      );
type MaybeRedis = ReturnType<typeof connectRedis>;

const createCounts = (
  { config, log, metrics }: Pick<Parts, 'config' | 'log' | 'metrics'>,
  redis: MaybeRedis,
): CountRequest => {
  if (redis === undefined) {
    log.warn('REDIS_URL is not set: rate limits apply per process, so run only one replica');
    return createLocalCounts();
  }
  const onUncounted = (): void => metrics.uncounted.inc();
  return createSharedCounts({
    redis,
    keyPrefix: config.redisKeyPrefix,
    clock: systemClock,
    log,
    onUncounted,
  });
};

const createApiServer = (parts: Parts, revoked: ReadonlySet<string>, isStopping: () => boolean) => {
  const { config, log, metrics, caches, clients } = parts;
  const verifyToken = createVerifyToken({
    tokenClient: clients.zipTokens,
    projectClient: clients.zipProjects,
    clock: systemClock,
    log,
    revoked,
    freshMs: config.tokenFreshMs,
    staleMs: config.tokenStaleMs,
    verificationTimeoutMs: config.tokenVerificationTimeoutMs,
  });
  const app = createApp({
    log,
    clock: systemClock,
    metrics,
    readForwarded: parts.readForwarded,
    authenticate: createAuthenticate({ tokens: caches.zipTokens, projects: caches.zipProjects, verifyToken }),
    noteUse: createNoteUse({
      tokens: caches.zipTokens,
      tokenClient: clients.zipTokens,
      clock: systemClock,
      log,
      intervalMs: config.lastUsedIntervalMs,
    }),
    zipJobs: createRoutes(parts),
    documents: createDocuments({ settings: config, version: packageJson.version }),
    inFlight: { maxBodyBytes: config.maxBodyBytesInFlight, maxCreates: config.maxCreatesInFlight },
    rateLimits: parts.rateLimits,
    body: { maxBytes: config.maxBodyBytes, lingerMs: config.bodyLingerMs },
    isStopping,
  });
  const listener = app.callback();
  return createHttpServer((request, response) => {
    void listener(request, response);
  }, config);
};

/** Not loaded if it is disabled, to save memory. Loaded at startup, so that errors appear immediately. */
const loadDashboard = async ({ dashboardEnabled }: ApiConfig) =>
  dashboardEnabled ? await import('#dashboard/dashboard-server.ts') : undefined;

interface DashboardParts extends Parts {
  readonly listed: Caches<ListedJob> | undefined;
  readonly jobs: KnownJobs;
  readonly access: KubeAccess;
  readonly redis: MaybeRedis;
  readonly countCall: CountCall;
  readonly loaded: Awaited<ReturnType<typeof loadDashboard>>;
}

/** Opens the port of the API and, if it is enabled, of the dashboard. */
const openPorts = async (parts: DashboardParts, { stopping, resources }: Lifetime) => {
  const { config, loaded, listed } = parts;
  const { host, port, dashboardPort, shutdownDrainMs: drainMs } = config;
  const open = async (server: Server, number: number): Promise<ListeningServer> =>
    resources.use(await listen(server, { host, port: number, drainMs }));
  /** The dashboard adds revoked tokens; the API rejects them. */
  const revoked = new Set<string>();
  const api = await open(
    createApiServer(parts, revoked, () => stopping.aborted),
    port,
  );
  const deps = {
    ...parts,
    clock: systemClock,
    userAgent: `${NAME}-dashboard`,
    onRevoked: (uid: string) => revoked.add(uid),
  };
  const dashboard =
    loaded &&
    listed &&
    (await open(loaded.createDashboardServer({ ...deps, caches: listed }, resources), dashboardPort));
  return {
    numbers: { port: api.port, dashboardPort: dashboard?.port },
    close: async (): Promise<void> => {
      await Promise.all([api.close(drainMs), dashboard?.close(drainMs)]);
    },
  };
};

const watchedKinds = ({ zipJobs, zipBuckets, zipTokens, zipProjects }: Caches) => ({
  ZipJob: zipJobs,
  ZipBucket: zipBuckets,
  ZipToken: zipTokens,
  ZipProject: zipProjects,
});

/** With the dashboard, the cache of jobs also keeps what the dashboard lists. */
const openCaches = (
  { dashboardEnabled }: ApiConfig,
  deps: Pick<Parameters<typeof createCaches>[0], 'kube' | 'log' | 'metrics'>,
  { fileLists, jobs }: Pick<DashboardParts, 'fileLists' | 'jobs'>,
): Pick<DashboardParts, 'caches' | 'listed'> => {
  if (!dashboardEnabled) {
    const caches = createCaches({
      ...deps,
      toKept: toCachedJob,
      onZipJob: (change) => fileLists.note(change),
    });
    return { caches, listed: undefined };
  }
  const listed = createCaches({
    ...deps,
    toKept: (job) => ({ ...toCachedJob(job), ...toListedJob(job) }),
    indexes: { [NAMESPACE_INDEX]: namespaceIndex },
    onZipJob: (change) => {
      fileLists.note(change);
      jobs.note(change);
    },
  });
  return { caches: listed, listed };
};

/** False if the stop signal came first. */
const isFilled = async (caches: Caches, stopping: AbortSignal): Promise<boolean> => {
  caches.start();
  try {
    await caches.synced(stopping);
    return true;
  } catch (error) {
    if (stopping.aborted) return false;
    throw error;
  }
};

const serve = async (config: ApiConfig, log: Logger, { stopping, resources }: Lifetime): Promise<number> => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  exportBuildInfo(registry, packageJson.version);
  const kubeMetrics = createKubeMetrics(registry);
  const loaded = await loadDashboard(config);
  const access = await createKubeConfig(config);
  const { countCall } = kubeMetrics;
  const { kubeRequestTimeoutMs: requestTimeoutMs } = config;
  const kube = resources.use(createKubeClient({ access, requestTimeoutMs, userAgent: NAME, countCall }));
  const fileLists = createFileListLedger({ clock: systemClock, maxBytes: config.maxFileListBytesPerProject });
  collectFileLists(registry, fileLists);
  const jobs = createKnownJobs();
  const { caches, listed } = openCaches(config, { kube, log, metrics: kubeMetrics }, { fileLists, jobs });
  resources.use(caches);
  collectWatchAges(registry, watchedKinds(caches));
  const readiness = createReadiness({ caches, stopping });
  const { host } = config;
  const admin = { host, port: config.adminPort, registry, log, ...readiness };
  resources.use(await startAdminServer(admin));
  if (!(await isFilled(caches, stopping))) return 0;
  const clients = createClients(kube);
  const abandon = resources.use(createAbandonZipJob({ jobClient: clients.zipJobs, log }));
  const metrics = createApiMetrics(registry);
  const redis = connectRedis({ config, log }, resources);
  const count = createCounts({ config, log, metrics }, redis);
  const rateLimits = createRateLimits({ ...config, count });
  const readForwarded = createReadForwarded(config.trustedProxies);
  const parts = { config, log, metrics, caches, clients, fileLists, abandon, rateLimits, readForwarded };
  const more = { access, redis, countCall, jobs, loaded, listed };
  const ports = await openPorts({ ...parts, ...more }, { stopping, resources });
  readiness.listening();
  log.info({ host, ...ports.numbers }, 'the API accepts requests');
  await aborted(stopping);
  // Load balancers keep sending requests until they notice that this replica is not ready.
  await pause(systemClock, config.shutdownPauseMs, new AbortController().signal);
  await ports.close();
  return 0;
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

await startProcess({
  name: NAME,
  env: process.env,
  readConfig: readApiConfig,
  serve,
  shutdownTimeoutMs: ({ shutdownPauseMs, shutdownDrainMs }) => shutdownPauseMs + shutdownDrainMs + CLOSING_MS,
});
