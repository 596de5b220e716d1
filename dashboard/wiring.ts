import type { Server } from 'node:http';
import type { Redis } from 'ioredis';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createReadForwarded } from '#runtime/http/client-address.ts';
import { createLimitedServer } from '#runtime/http/limited-server.ts';
import type { Served } from '#runtime/http/serve-requests.ts';
import { createKubeClient, type KubeClient } from '#runtime/kube/client/client.ts';
import type { KubeAccess } from '#runtime/kube/client/kube-access.ts';
import { createKubeConfig } from '#runtime/kube/client/kube-config.ts';
import { readObjectMetadata } from '#runtime/kube/client/object-metadata.ts';
import { withoutIdentity } from '#runtime/kube/client/user-client.ts';
import { collectCaches, createKubeMetrics, type KubeMetrics } from '#runtime/kube/kube-metrics.ts';
import type { Change } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { exportBuildInfo } from '#runtime/process/build-info.ts';
import type { Lifetime } from '#runtime/process/lifecycle.ts';
import { connectRedis, createCounts } from '#runtime/redis/connect-redis.ts';
import { REDIS_KEY_PREFIX } from '#runtime/redis/settings.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import {
  exportCertificateExpiry,
  openServerCertificate,
  type ServerCertificate,
} from '#runtime/tls/server-certificate.ts';
import type { Trust } from '#runtime/tls/trust.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { DashboardConfig } from './config.ts';
import { createHistoryApi } from './history/history-api.ts';
import { createHistory, type History } from './history/history-reader.ts';
import { createDashboardApp } from './http/app.ts';
import { createCookies } from './http/cookies.ts';
import { createErrorPages } from './http/error-pages.ts';
import { rejectInput } from './http/reject-input.ts';
import { createRunRoute } from './http/run-route.ts';
import { createSessionCookie } from './http/session.ts';
import { createLocalSessionStore } from './http/sessions/local-session-store.ts';
import { createSessionLimit } from './http/sessions/session-limit.ts';
import type { SessionStore } from './http/sessions/session-store.ts';
import { createSessions } from './http/sessions/sessions.ts';
import { createSharedSessionStore } from './http/sessions/shared-session-store.ts';
import { type Caches, createCaches } from './live/caches.ts';
import { createKnownJobs, type KnownJobs } from './live/known-jobs.ts';
import type { ListedJob } from './live/listed-job.ts';
import { createDashboardMetrics, type DashboardMetrics } from './metrics.ts';
import { createHasStarted } from './projects/has-started.ts';
import { createRefusedApi } from './refused/refused-api.ts';
import { createRefusedReader, type ReadRefused } from './refused/refused-reader.ts';
import { createRoutes } from './routes.ts';
import { createIdentityProvider, type IdentityProvider } from './sign-in/identity-provider.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createTakeSignIn } from './sign-in/sign-in-limit.ts';
import { createAssets } from './ui/assets.ts';
import { readExternalLinks } from './ui/external-links.ts';
import { createFrames } from './ui/frame.ts';
import { createRender } from './ui/render.ts';
import { createUsers } from './user/user.ts';
import { createUserPlaces } from './user/user-places.ts';

export const NAME = 'zipjobs-dashboard';

export interface DashboardDeps {
  readonly config: DashboardConfig;
  /** Default: plain HTTP. */
  readonly certificate?: ServerCertificate | undefined;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: DashboardMetrics;
  /** Undefined for one replica that keeps its sessions in memory. */
  readonly redis: Redis | undefined;
  /** A client without its own identity: every call carries the token of a user. */
  readonly kube: KubeClient;
  readonly caches: Pick<Caches, 'zipJobs' | 'zipProjects'>;
  /** Receives every change of the job cache. */
  readonly jobs: KnownJobs;
  readonly provider: IdentityProvider | undefined;
  /** Undefined without a history database. */
  readonly history: History | undefined;
  /** Undefined without the address of the API. */
  readonly readRefused: ReadRefused | undefined;
}

function createStore({ config, redis, clock, log }: DashboardDeps): SessionStore {
  const { dashboardIdleMs: idleMs, dashboardSessionMs: sessionMs } = config;
  const maxPerUser = config.dashboardSessionsPerUser;
  if (redis !== undefined)
    return createSharedSessionStore({
      redis,
      keyPrefix: REDIS_KEY_PREFIX,
      clock,
      idleMs,
      sessionMs,
      maxPerUser,
    });
  log.warn('REDIS_URL is not set: dashboard sessions are kept in memory and end with this process');
  return createLocalSessionStore({ clock, idleMs, maxPerUser });
}

function inFlightOf(config: DashboardConfig) {
  return {
    maxRequests: config.dashboardRequestsInFlight,
    maxFormBytes: config.dashboardFormBytesInFlight,
  };
}

function limitsPerMinute({ config, log, clock, redis, metrics }: DashboardDeps) {
  const { uncounted, sessionsLimited } = metrics;
  const count = createCounts({ log, clock, redis, uncounted });
  return {
    count,
    limitRequests: createSessionLimit({ ...config, count, onExceeded: () => sessionsLimited.inc() }),
    takeSignIn: createTakeSignIn({ ...config, count }),
  };
}

/** Places that users share. */
function placesOf({ config, metrics }: DashboardDeps) {
  function create(limit: 'searches' | 'lists', places: number) {
    return createUserPlaces({ limit, places, retryAfterSeconds: 2, metrics });
  }
  return {
    takeSearch: create('searches', config.dashboardSearchesInFlight),
    takeList: create('lists', config.dashboardListsInFlight),
  };
}

function createApp(deps: DashboardDeps) {
  const { config, log, clock, metrics, kube, history, readRefused } = deps;
  const readForwarded = createReadForwarded(config.trustedProxies);
  const cookies = createCookies({ isSecure: !config.dashboardAllowHttp });
  const sessions = createSessions({ store: createStore(deps), clock, sessionMs: config.dashboardSessionMs });
  const sessionCookie = createSessionCookie({ sessions, cookies });
  const assets = createAssets();
  const render = createRender();
  const hasHistory = history !== undefined;
  const hasStarted = createHasStarted(deps);
  const around = { hasHistory, hasApi: readRefused !== undefined, hasStarted };
  const frame = createFrames({ ...deps, ...around, assets: assets.paths, cookies });
  const userOf = createUsers({ kube, clock });
  const { count, limitRequests, takeSignIn } = limitsPerMinute(deps);
  const places = placesOf(deps);
  const pages = { cookies, sessionCookie, limitRequests, frame, render };
  return createDashboardApp({
    log,
    clock,
    metrics,
    readForwarded,
    url: config.dashboardUrl,
    inFlight: inFlightOf(config),
    assets,
    cookies,
    errorPages: createErrorPages({
      log,
      render,
      frame,
      userOf: (session) => userOf(session, AbortSignal.timeout(config.workTimeoutMs)),
    }),
    loadSession: sessionCookie.load,
    signIn: createSignIn({ ...deps, ...pages, takeSignIn, readForwarded }),
    historyApi: history && createHistoryApi({ ...deps, ...places, history, count, readForwarded }),
    refusedApi: readRefused && createRefusedApi({ ...deps, readRefused, count, readForwarded }),
    routes: createRoutes({ ...deps, ...places, hasStarted, links: readExternalLinks(config) }),
    limitRequests,
    runRoute: createRunRoute({ ...config, ...pages, clock, userOf }),
  });
}

/** The server of the dashboard. It shows what its caches hold. */
export function createDashboardServer(deps: DashboardDeps): Server {
  const listener = createApp(deps).callback();
  return createLimitedServer({
    listener: (request, response) => void listener(request, response),
    settings: deps.config,
    reject: rejectInput,
    certificate: deps.certificate,
  });
}

/** Undefined without HISTORY_HOST. Connections are made on demand, so the dashboard starts without the database. */
async function connectHistory(
  config: DashboardConfig,
  { log, trust, resources }: Pick<Lifetime, 'resources'> & { readonly log: Logger; readonly trust: Trust },
): Promise<History | undefined> {
  if (config.historyHost === '') {
    log.info('HISTORY_HOST is not set: the dashboard shows finished jobs until their ZipJob is deleted');
    return undefined;
  }
  // Loaded only if it is used, to save memory.
  const { createHistoryDatabase } = await import('#runtime/history/database.ts');
  const database = resources.use(createHistoryDatabase(config, { log, trust, applicationName: NAME }));
  return createHistory({ database, clock: systemClock, config });
}

function clientsWith(
  config: DashboardConfig,
  { countCall }: Pick<KubeMetrics, 'countCall'>,
  resources: Lifetime['resources'],
) {
  return (access: KubeAccess): KubeClient =>
    resources.use(
      createKubeClient({
        access,
        requestTimeoutMs: config.kubeRequestTimeoutMs,
        userAgent: NAME,
        objectMetadata: readObjectMetadata(config),
        countCall,
      }),
    );
}

/** Every part of the dashboard, ready to be served. The lifetime disposes of what holds connections. */
export async function createParts(
  config: DashboardConfig,
  log: Logger,
  { resources }: Lifetime,
): Promise<Served> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  exportBuildInfo(registry, packageJson.version);
  const metrics = createDashboardMetrics(registry);
  const kubeMetrics = createKubeMetrics(registry);
  const access = await createKubeConfig(config);
  const clientOf = clientsWith(config, kubeMetrics, resources);
  const jobs = createKnownJobs();
  function onZipJob(change: Change<ListedJob>): void {
    jobs.note(change);
  }
  const caches = resources.use(createCaches({ kube: clientOf(access), log, metrics: kubeMetrics, onZipJob }));
  collectCaches(registry, { ZipJob: caches.zipJobs, ZipProject: caches.zipProjects });
  const kube = clientOf(withoutIdentity(access));
  const trust = createBundleTrust(config, { clock: systemClock, log });
  const redis = resources.use(connectRedis(config, { log, trust, clock: systemClock }));
  const provider =
    config.dashboardOidcIssuer === ''
      ? undefined
      : resources.use(createIdentityProvider(config, { clock: systemClock, trust }));
  const history = await connectHistory(config, { log, trust, resources });
  const readRefused = resources.use(createRefusedReader({ config, trust, log }));
  const certificate = openServerCertificate(config, log);
  if (certificate) resources.use(certificate);
  exportCertificateExpiry(registry, certificate);
  const deps = {
    certificate,
    config,
    log,
    clock: systemClock,
    metrics,
    redis,
    kube,
    caches,
    jobs,
    provider,
    history,
    readRefused,
  };
  return { config, log, registry, caches, certificate, server: createDashboardServer(deps) };
}
