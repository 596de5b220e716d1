import type { Redis } from 'ioredis';
import type Koa from 'koa';
import type { Caches } from '#api/caches.ts';
import type { ApiMetrics } from '#api/metrics.ts';
import type { RateLimits } from '#api/rate-limits/rate-limits.ts';
import type { Clock } from '#runtime/clock.ts';
import type { ReadForwarded } from '#runtime/http/client-address.ts';
import type { KubeClient } from '#runtime/kube/client.ts';
import type { Logger } from '#runtime/log.ts';
import { createDashboardApp } from './app.ts';
import { createAssets } from './assets.ts';
import { createCookies } from './cookies.ts';
import { createFrames } from './frame/frame.ts';
import type { KnownJobs } from './live/known-jobs.ts';
import type { ListedJob } from './live/listed-job.ts';
import { createErrorPages } from './middleware/error-pages.ts';
import { createSessionCookie } from './middleware/session.ts';
import { createRoutes } from './pages/routes.ts';
import { createRender } from './render.ts';
import { createRunRoute } from './run-route.ts';
import { createLocalSessionStore } from './sessions/local-session-store.ts';
import type { SessionStore } from './sessions/session-store.ts';
import { createSessions } from './sessions/sessions.ts';
import { createSharedSessionStore } from './sessions/shared-session-store.ts';
import type { DashboardSettings } from './settings.ts';
import type { IdentityProvider } from './sign-in/identity-provider.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createUsers } from './user/user.ts';

export interface DashboardDeps {
  readonly config: DashboardSettings & { readonly redisKeyPrefix: string; readonly workTimeoutMs: number };
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: ApiMetrics;
  /** Undefined for one replica that keeps its sessions in memory. */
  readonly redis: Redis | undefined;
  /** A client without its own identity: every call carries the token of a user. */
  readonly kube: KubeClient;
  readonly caches: Pick<Caches<ListedJob>, 'zipJobs' | 'zipProjects'>;
  /** Receives every change of the job cache. */
  readonly jobs: KnownJobs;
  /** Called with the UID of each revoked token. */
  readonly onRevoked: (uid: string) => void;
  readonly rateLimits: RateLimits;
  readonly readForwarded: ReadForwarded;
  readonly provider: IdentityProvider | undefined;
}

const createStore = ({ config, redis, clock, log }: DashboardDeps): SessionStore => {
  const { dashboardIdleMs: idleMs, dashboardSessionMs: sessionMs, redisKeyPrefix: keyPrefix } = config;
  if (redis !== undefined) return createSharedSessionStore({ redis, keyPrefix, clock, idleMs, sessionMs });
  log.warn('REDIS_URL is not set: dashboard sessions are kept in memory and end with this process');
  return createLocalSessionStore({ clock, idleMs });
};

/** The web dashboard, ready to be served. */
export const createDashboard = (deps: DashboardDeps): Pick<Koa, 'callback'> => {
  const { config, log, clock, metrics, kube, caches, readForwarded } = deps;
  const cookies = createCookies({ isSecure: !config.dashboardAllowHttp });
  const sessions = createSessions({ store: createStore(deps), clock, sessionMs: config.dashboardSessionMs });
  const sessionCookie = createSessionCookie({ sessions, cookies });
  const assets = createAssets();
  const render = createRender();
  const frame = createFrames({ assets: assets.paths, cookies, projects: caches.zipProjects });
  const userOf = createUsers({ kube, clock });
  const { workTimeoutMs } = config;
  return createDashboardApp({
    log,
    clock,
    metrics,
    readForwarded,
    url: config.dashboardUrl,
    assets,
    cookies,
    errorPages: createErrorPages({ log, render, frame }),
    loadSession: sessionCookie.load,
    signIn: createSignIn({ ...deps, sessionCookie, cookies, frame, render }),
    routes: createRoutes(deps),
    runRoute: createRunRoute({ clock, cookies, sessionCookie, userOf, frame, render, workTimeoutMs }),
  });
};
