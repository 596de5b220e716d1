import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createApp } from '#api/app.ts';
import { createAbandonZipJob } from '#api/create/abandon-zip-job.ts';
import { createCreateZipJob } from '#api/create/create-zip-job.ts';
import { createFindBucket } from '#api/create/find-bucket.ts';
import { createReadRequest } from '#api/create/read-request.ts';
import { rejectInput } from '#api/create/reject-input.ts';
import { createRequestPolicy } from '#api/create/request-policy.ts';
import { createFileBudget } from '#api/limits/file-budget.ts';
import { createRateLimits } from '#api/limits/rate-limits.ts';
import { createStorageLedger, type StorageLedger } from '#api/limits/storage-ledger.ts';
import { createApiMetrics } from '#api/metrics.ts';
import { createDocuments } from '#api/openapi/documents.ts';
import { createFindZipJob } from '#api/read/find-zip-job.ts';
import { createReadHistory } from '#api/read/read-archived.ts';
import { createRefusedLog, type RefusedLog } from '#api/refused/refused-log.ts';
import { createZipJobRoutes } from '#api/routes.ts';
import { createAuthenticate } from '#api/tokens/authenticate.ts';
import { createNoteUse } from '#api/tokens/last-used.ts';
import { createVerifyToken } from '#api/tokens/verify-token.ts';
import { bucketResourceName, GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import { generateToken, hashToken, maskToken } from '#crds/api-token.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Service } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Permission, ZipToken } from '#crds/zip-token.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createReadForwarded } from '#runtime/http/client-address.ts';
import { createLimitedServer } from '#runtime/http/limited-server.ts';
import { createLogger } from '#runtime/log/log.ts';
import { readClassLimits } from '#runtime/project-limits/class-settings.ts';
import { createProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { createLocalCounts } from '#runtime/redis/request-counts.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';
import { type ApiRequest, askApi } from '../clients/api-client.ts';
import { type ApiServerOptions, HTTP, NO_RATE_LIMIT, settingsOf } from './api-server-options.ts';
import { createApiStores } from './api-stores.ts';

export function aProject(namespace: string, spec: ZipProject['spec'] = {}): ZipProject {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipProject',
    metadata: { namespace, name: PROJECT_NAME },
    spec,
  };
}

export function aBucket(namespace: string, service: Service, bucketName: string): ZipBucket {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipBucket',
    metadata: { namespace, name: bucketResourceName(service, bucketName) },
    spec: { service, bucketName },
  };
}

export function aToken(
  namespace: string,
  token: string,
  { name = 'token', permissions = ['create', 'read'] }: { name?: string; permissions?: Permission[] } = {},
): ZipToken {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipToken',
    metadata: { namespace, name },
    spec: { sha256: hashToken(namespace, token), masked: maskToken(token), permissions },
  };
}

/** A request that the server of startApiServer accepts. */
export const A_REQUEST = {
  urls: [{ url: 'https://files.example.com/a.txt?sig=SECRET', filename: 'a.txt' }],
  bucket_name: 'archive',
  key: 'out/archive.zip',
};

function refusedLogOf(
  { replica = 'test', sharesRefused = false }: ApiServerOptions,
  clock: Clock,
): RefusedLog {
  return createRefusedLog({ clock, replica, isShared: sharesRefused });
}

function createDeps(
  stores: ReturnType<typeof createApiStores>,
  storage: StorageLedger,
  options: ApiServerOptions,
) {
  const logLines: string[] = [];
  const destination = { write: (line: string) => logLines.push(line) };
  const log = createLogger('api', { level: 'debug', destination });
  const clock = options.clock ?? systemClock;
  const registry = new Registry();
  const metrics = createApiMetrics(registry);
  const { jobs, secrets, buckets, tokens, projects, namespaces } = stores;
  const classes = readClassLimits(
    JSON.stringify({
      ...options.projectClasses,
      default: { ...NO_RATE_LIMIT, ...options.projectClasses?.['default'] },
    }),
  );
  const projectClasses = createProjectClasses({ classes, namespaces: namespaces.reflector });
  const { limitsOf } = projectClasses;
  const settings = settingsOf(options);
  const rateLimits = createRateLimits({
    ...settings,
    limitsOf,
    counters: 1,
    count: options.count ?? createLocalCounts(clock),
    clock,
  });
  const { readJob } = options;
  const abandon = createAbandonZipJob({ jobClient: jobs.client, log, clock });
  const readHistory = readJob && createReadHistory({ readJob, clock, metrics, settings });
  const zipJobs = createZipJobRoutes({
    readRequest: createReadRequest({
      requestPolicy: createRequestPolicy({
        egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [] }),
        limits: settings,
        ...projectClasses,
      }),
      limits: settings,
      fileBudget: createFileBudget({
        rateLimits,
        onExceeded: (limit) => metrics.rateLimited.inc({ limit }),
      }),
    }),
    findBucket: createFindBucket({ buckets: buckets.reflector, bucketClient: buckets.client }),
    createZipJob: createCreateZipJob({
      jobClient: jobs.client,
      secretClient: secrets.client,
      storage,
      limitsOf,
      readHistory,
      abandon,
      metrics,
      clock,
      log,
      instance: 'demo',
    }),
    findZipJob: createFindZipJob({
      jobs: jobs.reflector,
      jobClient: jobs.client,
      responses: stores.responses,
      readHistory,
    }),
    workTimeoutMs: options.workTimeoutMs ?? 5_000,
    helpUrl: settings.helpUrl,
  });
  const verifyToken = createVerifyToken({
    tokenClient: tokens.client,
    projectClient: projects.client,
    clock,
    log,
    freshMs: 1_000,
    staleMs: 10_000,
    verificationTimeoutMs: 1_000,
  });
  return {
    abandon,
    log,
    clock,
    metrics,
    zipJobs,
    registry,
    logLines,
    readForwarded: createReadForwarded(options.trustedProxies ?? []),
    authenticate: createAuthenticate({
      tokens: tokens.reflector,
      accepted: stores.accepted,
      projects: projects.reflector,
      verifyToken,
    }),
    noteUse: createNoteUse({
      tokens: tokens.reflector,
      tokenClient: tokens.client,
      clock,
      log,
      intervalMs: 3_600_000,
    }),
    inFlight: {
      maxRequests: 10_000,
      maxBodyBytes: 96 * 1_024 * 1_024,
      maxCreates: 1_000,
      maxActive: 2_000,
      ...options.inFlight,
    },
    rateLimits,
    refused: refusedLogOf(options, clock),
    tracing: options.tracer && { tracer: options.tracer, clock },
    basePath: settings.basePath,
    documents: createDocuments({
      settings: { ...settings, projectLimits: classes.standard },
      version: '0.0.0',
    }),
    body: { maxBytes: settings.maxBodyBytes, lingerMs: 500, arrivalMs: options.bodyArrivalMs ?? 500 },
  };
}

/**
 * The API on a loopback port with objects in memory: the project `team-a` with the bucket `archive` (s3), the
 * bucket `cold` (r2) and one token with every permission.
 */
export async function startApiServer(options: ApiServerOptions = {}) {
  const storage = createStorageLedger({
    clock: options.clock ?? systemClock,
    maxFileListBytes: settingsOf(options).maxFileListBytesPerProject,
  });
  const stores = createApiStores(storage);
  const token = generateToken();
  stores.projects.put(aProject('team-a'));
  stores.buckets.put(aBucket('team-a', 's3', 'archive'));
  stores.buckets.put(aBucket('team-a', 'r2', 'cold'));
  stores.tokens.put(aToken('team-a', token));
  const deps = createDeps(stores, storage, options);
  const state = { stopping: false };
  const app = createApp({ ...deps, isStopping: () => state.stopping });
  const listener = app.callback();
  const server = createLimitedServer({
    listener: (request, response) => void listener(request, response),
    settings: { ...HTTP, ...options.http },
    reject: rejectInput,
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  /** Sends a request with the token of team-a. */
  function ask(request: ApiRequest) {
    return askApi(url, { token, ...request });
  }
  return {
    ...stores,
    state,
    url,
    ask,
    /** Posts an object, or exact text or bytes, to /v1/zips. */
    post: (body: unknown, request: Partial<ApiRequest> = {}) =>
      ask({
        method: 'POST',
        path: '/v1/zips',
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        ...request,
      }),
    token,
    port,
    server,
    registry: deps.registry,
    logLines: deps.logLines,
    refused: deps.refused,
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      });
      await deps.abandon[Symbol.asyncDispose]();
    },
  };
}

export type ApiServer = Awaited<ReturnType<typeof startApiServer>>;
