import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Redis } from 'ioredis';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { projectKey } from '#crds/api-group.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { toEgressOptions } from '#runtime/egress/settings.ts';
import type { PoolDeps } from '#runtime/history/pool.ts';
import { createReadJob } from '#runtime/history/read-job.ts';
import { createReadForwarded } from '#runtime/http/client-address.ts';
import { createLimitedServer } from '#runtime/http/limited-server.ts';
import type { Served } from '#runtime/http/serve-requests.ts';
import { createKubeClient, type KubeClient } from '#runtime/kube/client/client.ts';
import { createKubeConfig } from '#runtime/kube/client/kube-config.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { readObjectMetadata } from '#runtime/kube/client/object-metadata.ts';
import { collectCaches, createKubeMetrics, type KubeMetrics } from '#runtime/kube/kube-metrics.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { Logger } from '#runtime/log/log.ts';
import { projectLabelsOf } from '#runtime/metrics/project-labels.ts';
import { exportBuildInfo } from '#runtime/process/build-info.ts';
import type { Lifetime } from '#runtime/process/lifecycle.ts';
import { createProjectClasses, type ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { connectRedis, createCounts } from '#runtime/redis/connect-redis.ts';
import { REDIS_KEY_PREFIX } from '#runtime/redis/settings.ts';
import { REFUSED_PATH } from '#runtime/refused-requests/refused-request.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';
import { createServerClock, type ServerClock } from '#runtime/time/server-clock.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import {
  exportCertificateExpiry,
  openServerCertificate,
  type ServerCertificate,
} from '#runtime/tls/server-certificate.ts';
import type { Trust } from '#runtime/tls/trust.ts';
import { openTracer, type Tracer } from '#runtime/tracing/tracer.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import type { ApiConfig } from './config.ts';
import { type AbandonZipJob, createAbandonZipJob } from './create/abandon-zip-job.ts';
import { createCreateZipJob } from './create/create-zip-job.ts';
import { createFindBucket } from './create/find-bucket.ts';
import { createReadRequest } from './create/read-request.ts';
import { rejectInput } from './create/reject-input.ts';
import { createRequestPolicy } from './create/request-policy.ts';
import { collectStorage } from './limits/collect-storage.ts';
import { createFileBudget } from './limits/file-budget.ts';
import { createRateLimits, type RateLimits } from './limits/rate-limits.ts';
import { createStorageLedger, type StorageLedger } from './limits/storage-ledger.ts';
import { type ApiMetrics, createApiMetrics } from './metrics.ts';
import { createDocuments } from './openapi/documents.ts';
import { type Caches, createCaches } from './read/caches.ts';
import { createFindZipJob } from './read/find-zip-job.ts';
import { createKeptResponses, type KeptResponses } from './read/kept-responses.ts';
import { createReadHistory, type ReadHistory } from './read/read-archived.ts';
import { createRefusedLog, type RefusedLog } from './refused/refused-log.ts';
import { createReviewReader } from './refused/review-reader.ts';
import { createServeRefused } from './refused/serve-refused.ts';
import { shareRefused } from './refused/shared-refused.ts';
import { createZipJobRoutes, type ZipJobRoutes } from './routes.ts';
import { type AcceptedTokens, createAcceptedTokens } from './tokens/accepted-tokens.ts';
import { type Authenticate, createAuthenticate } from './tokens/authenticate.ts';
import { createNoteUse } from './tokens/last-used.ts';
import { reportRefusedTokens } from './tokens/report-refused-tokens.ts';
import { createVerifyToken, isOpenProject } from './tokens/verify-token.ts';

interface ConnectHistoryDeps extends PoolDeps {
  readonly config: ApiConfig;
  readonly clock: Clock;
  readonly metrics: ApiMetrics;
  /** Closes the connections at the end. */
  readonly resources: AsyncDisposableStack;
}

/** Undefined without HISTORY_HOST. Connections are made on demand, so the API starts without the database. */
export async function connectHistory(deps: ConnectHistoryDeps): Promise<ReadHistory | undefined> {
  const { config } = deps;
  if (config.historyHost === '') {
    deps.log.info('HISTORY_HOST is not set: a zip can be read until its ZipJob is deleted');
    return undefined;
  }
  // Loaded only if it is used, to save memory.
  const { createHistoryDatabase } = await import('#runtime/history/database.ts');
  const database = deps.resources.use(createHistoryDatabase(config, deps));
  return createReadHistory({ ...deps, readJob: createReadJob(database), settings: config });
}

export const NAME = 'zipjobs-api';
const SOURCE = { service: NAME, version: packageJson.version };
/** Requests arrive only when the caches are filled. */
const LABELLING = { clock: systemClock, isReady: () => true };

type Clients = ReturnType<typeof createClients>;

interface Parts {
  readonly config: ApiConfig;
  readonly certificate: ServerCertificate | undefined;
  /** The API server's time: the time of acceptance is compared with the creation time of the ZipJob. */
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ApiMetrics;
  readonly caches: Caches;
  readonly responses: KeptResponses;
  readonly clients: Clients;
  readonly projectClasses: ProjectClasses;
  readonly storage: StorageLedger;
  readonly abandon: AbandonZipJob;
  readonly readHistory: ReadHistory | undefined;
  readonly rateLimits: RateLimits;
  readonly accepted: AcceptedTokens;
  readonly refused: RefusedLog;
  readonly tracer: Tracer | undefined;
}

function createClients(kube: KubeClient) {
  return {
    zipJobs: createObjectClient(kube, RESOURCES.zipJobs),
    zipBuckets: createObjectClient(kube, RESOURCES.zipBuckets),
    zipTokens: createObjectClient(kube, RESOURCES.zipTokens),
    zipProjects: createObjectClient(kube, RESOURCES.zipProjects),
    secrets: createObjectClient(kube, RESOURCES.secrets),
  };
}

function createRoutes(parts: Parts): ZipJobRoutes {
  const { config, clock, log, metrics, caches, clients, storage, abandon, readHistory } = parts;
  const { limitsOf } = parts.projectClasses;
  return createZipJobRoutes({
    readRequest: createReadRequest({
      requestPolicy: createRequestPolicy({
        egress: createEgressPolicy(toEgressOptions(config, config.kubernetesHost)),
        limits: config,
        ...parts.projectClasses,
      }),
      limits: config,
      fileBudget: createFileBudget({
        rateLimits: parts.rateLimits,
        onExceeded: (limit) => metrics.rateLimited.inc({ limit }),
      }),
    }),
    findBucket: createFindBucket({ buckets: caches.zipBuckets, bucketClient: clients.zipBuckets }),
    createZipJob: createCreateZipJob({
      jobClient: clients.zipJobs,
      secretClient: clients.secrets,
      storage,
      limitsOf,
      readHistory,
      abandon,
      metrics,
      clock,
      log,
      instance: config.instance,
    }),
    findZipJob: createFindZipJob({
      jobs: caches.zipJobs,
      jobClient: clients.zipJobs,
      responses: parts.responses,
      readHistory,
    }),
    workTimeoutMs: config.workTimeoutMs,
    helpUrl: config.helpUrl,
  });
}

function createTokenCheck({ config, log, caches, clients, accepted }: Parts): Authenticate {
  return createAuthenticate({
    tokens: caches.zipTokens,
    accepted,
    projects: caches.zipProjects,
    verifyToken: createVerifyToken({
      tokenClient: clients.zipTokens,
      projectClient: clients.zipProjects,
      clock: systemClock,
      log,
      freshMs: config.tokenFreshMs,
      staleMs: config.tokenStaleMs,
      verificationTimeoutMs: config.tokenVerificationTimeoutMs,
    }),
  });
}

function createServer(parts: Parts, isStopping: () => boolean): Server {
  const { config, log, metrics, caches, clients } = parts;
  const app = createApp({
    log,
    clock: systemClock,
    metrics,
    readForwarded: createReadForwarded(config.trustedProxies),
    authenticate: createTokenCheck(parts),
    noteUse: createNoteUse({
      tokens: caches.zipTokens,
      tokenClient: clients.zipTokens,
      clock: systemClock,
      log,
      intervalMs: config.lastUsedIntervalMs,
    }),
    zipJobs: createRoutes(parts),
    basePath: config.basePath,
    documents: createDocuments({
      settings: { ...config, projectLimits: config.classes.standard },
      version: packageJson.version,
    }),
    inFlight: {
      maxRequests: config.maxRequestsInFlight,
      maxBodyBytes: config.maxBodyBytesInFlight,
      maxCreates: config.maxCreatesInFlight,
      maxActive: config.maxActiveRequests,
    },
    rateLimits: parts.rateLimits,
    refused: parts.refused,
    tracing: parts.tracer && { tracer: parts.tracer, clock: parts.clock },
    body: { maxBytes: config.maxBodyBytes, lingerMs: config.bodyLingerMs, arrivalMs: config.bodyArrivalMs },
    isStopping,
  });
  const listener = app.callback();
  return createLimitedServer({
    certificate: parts.certificate,
    listener: (request, response) => void listener(request, response),
    settings: config,
    reject: rejectInput,
  });
}

function watchedKinds({ zipJobs, zipBuckets, zipTokens, zipProjects, namespaces }: Caches) {
  return {
    ZipJob: zipJobs,
    ZipBucket: zipBuckets,
    ZipToken: zipTokens,
    ZipProject: zipProjects,
    Namespace: namespaces,
  };
}

/** Reports the tokens that the API refuses, in the background. */
function reportRefused({
  accepted,
  caches,
  clients,
  log,
}: Pick<Parts, 'accepted' | 'caches' | 'clients' | 'log'>): Disposable {
  return reportRefusedTokens({
    accepted,
    tokens: caches.zipTokens,
    tokenClient: clients.zipTokens,
    isOpen: (namespace) => isOpenProject(caches.zipProjects.get(projectKey(namespace))),
    clock: systemClock,
    log,
  });
}

/** What parts need that connect to servers other than the API server. */
interface Outside {
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly metrics: ApiMetrics;
  readonly trust: Trust;
  readonly resources: AsyncDisposableStack;
}

function createLimits(
  { config, log, metrics }: Outside,
  { limitsOf }: ProjectClasses,
  redis: Redis | undefined,
): RateLimits {
  const count = createCounts({ log, clock: systemClock, redis, uncounted: metrics.uncounted });
  const counters = redis === undefined ? config.apiReplicas : 1;
  return createRateLimits({ ...config, count, limitsOf, counters, clock: systemClock });
}

/** The refused requests, and the path of the admin port where the dashboard reads them. */
function keepRefused({ config, log, resources }: Outside, redis: Redis | undefined, kube: KubeClient) {
  const clock = systemClock;
  const refused = createRefusedLog({ clock, replica: randomUUID(), isShared: redis !== undefined });
  const sharing = { keyPrefix: REDIS_KEY_PREFIX, entries: refused, clock, log };
  const shared = redis && resources.use(shareRefused({ redis, ...sharing }));
  const { refusedReader: reader, helpUrl } = config;
  if (reader === '') return { refused, adminRoutes: {} };
  const review = createReviewReader({ kube, clock, reader });
  const serve = createServeRefused({
    entries: refused,
    shared,
    review,
    startedAt: clock.date(),
    helpUrl,
    log,
  });
  return { refused, adminRoutes: { [REFUSED_PATH]: serve } };
}

function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  exportBuildInfo(registry, packageJson.version);
  return registry;
}

async function connectKube(
  config: ApiConfig,
  clock: ServerClock,
  { countCall }: KubeMetrics,
): Promise<KubeClient> {
  return createKubeClient({
    clock,
    access: await createKubeConfig(config),
    requestTimeoutMs: config.kubeRequestTimeoutMs,
    userAgent: NAME,
    objectMetadata: readObjectMetadata(config),
    countCall,
  });
}

function openCertificate({ config, log, resources }: Outside, registry: Registry) {
  const certificate = resources.use(openServerCertificate(config, log));
  exportCertificateExpiry(registry, certificate);
  return certificate;
}

/** Every part of the API, ready to be served. The lifetime disposes of what holds connections. */
export async function createParts(
  config: ApiConfig,
  log: Logger,
  { stopping, resources }: Lifetime,
): Promise<Served> {
  const registry = createRegistry();
  const [projects, kubeMetrics] = [projectLabelsOf(config, LABELLING), createKubeMetrics(registry)];
  const metrics = createApiMetrics(registry, projects);
  const clock = createServerClock(systemClock, kubeMetrics.clockDiffered);
  const kube = resources.use(await connectKube(config, clock, kubeMetrics));
  const maxFileListBytes = config.maxFileListBytesPerProject;
  const storage = createStorageLedger({ clock: systemClock, maxFileListBytes });
  const accepted = createAcceptedTokens();
  const responses = createKeptResponses({ maxBytes: config.keptResponsesBytes });
  const caches = resources.use(
    createCaches({ kube, log, metrics: kubeMetrics, responses, storage, accepted, classes: config.classes }),
  );
  collectCaches(registry, watchedKinds(caches));
  const projectClasses = createProjectClasses({ classes: config.classes, namespaces: caches.namespaces });
  collectStorage(registry, { ledger: storage, classOf: projectClasses.of, maxFileListBytes, projects });
  const clients = createClients(kube);
  resources.use(reportRefused({ accepted, caches, clients, log }));
  const abandon = resources.use(createAbandonZipJob({ jobClient: clients.zipJobs, log, clock: systemClock }));
  const trust = createBundleTrust(config, { clock: systemClock, log });
  const outside = { config, log, metrics, trust, resources };
  const redis = resources.use(connectRedis(config, { ...outside, clock: systemClock }));
  const rateLimits = createLimits(outside, projectClasses, redis);
  const { refused, adminRoutes } = keepRefused(outside, redis, kube);
  const readHistory = await connectHistory({ ...outside, clock: systemClock, applicationName: NAME });
  const tracer = await openTracer(config, { ...outside, source: SOURCE });
  const parts = {
    certificate: openCertificate(outside, registry),
    config,
    clock,
    log,
    metrics,
    caches,
    responses,
    clients,
    projectClasses,
    storage,
    abandon,
    readHistory,
    rateLimits,
    accepted,
    refused,
    tracer,
  };
  return { ...parts, registry, adminRoutes, server: createServer(parts, () => stopping.aborted) };
}
