import Router from '@koa/router';
import Koa, { type DefaultContextExtends } from 'koa';
import type { ReadForwarded } from '#runtime/http/client-address.ts';
import { createRequestId } from '#runtime/http/request-id.ts';
import { createRequestLog } from '#runtime/http/request-log.ts';
import { createMeasureRequest, type RequestMetrics } from '#runtime/http/request-metrics.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { HistoryApi } from '../history/history-api.ts';
import type { ProgramHandler } from '../history/program-handler.ts';
import type { DashboardMetrics } from '../metrics.ts';
import { CALLBACK_PATH } from '../sign-in/identity-provider.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { Assets } from '../ui/assets.ts';
import { keepPreferences } from '../ui/preferences.ts';
import type { DashboardContext, DashboardMiddleware, DashboardState } from './context.ts';
import type { Cookies } from './cookies.ts';
import { createFormBody } from './form-body.ts';
import { createHttpsRedirect } from './https-redirect.ts';
import { createInFlight, createInFlightLimit, type InFlightDeps } from './in-flight-limit.ts';
import { localPath } from './local-path.ts';
import { createOwnOrigin } from './own-origin.ts';
import { notFound, type Route } from './page.ts';
import { createSecurityHeaders } from './security-headers.ts';
import type { LimitRequests } from './sessions/session-limit.ts';

export interface DashboardAppDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Pick<DashboardMetrics, keyof RequestMetrics | 'overloads'>;
  readonly inFlight: {
    /** Maximum concurrent requests. */
    readonly maxRequests: number;
    /** Maximum bytes of posted forms in memory. */
    readonly maxFormBytes: number;
  };
  readonly readForwarded: ReadForwarded;
  /** URL that browsers use for the dashboard; `''` when unknown. */
  readonly url: string;
  readonly assets: Assets;
  readonly cookies: Cookies;
  readonly errorPages: DashboardMiddleware;
  readonly loadSession: DashboardMiddleware;
  readonly signIn: SignIn;
  /** Undefined without a history database. */
  readonly historyApi: HistoryApi | undefined;
  /** Undefined without the address of the API. */
  readonly refusedApi: ProgramHandler | undefined;
  readonly routes: readonly Route[];
  readonly limitRequests: LimitRequests;
  readonly runRoute: (ctx: DashboardContext, route: Route, params: Record<string, string>) => Promise<void>;
}

type DashboardRouter = Router<DashboardState, DefaultContextExtends>;

function addRoute(
  router: DashboardRouter,
  { method, path }: Pick<Route, 'method' | 'path'>,
  run: (ctx: DashboardContext & { readonly params: Record<string, string> }) => Promise<void> | void,
): void {
  router.register(path, [method], async (ctx) => {
    ctx.state.route = path;
    await run(ctx);
  });
}

/** Routes that need no session. */
function addOpenRoutes(router: DashboardRouter, { signIn, cookies }: DashboardAppDeps): void {
  addRoute(router, { method: 'GET', path: '/sign-in' }, signIn.show);
  addRoute(router, { method: 'POST', path: '/sign-in' }, signIn.withToken);
  addRoute(router, { method: 'GET', path: '/sign-in/oidc' }, signIn.toProvider);
  addRoute(router, { method: 'GET', path: CALLBACK_PATH }, signIn.fromProvider);
  addRoute(router, { method: 'POST', path: '/sign-out' }, signIn.out);
  addRoute(router, { method: 'POST', path: '/sign-out-everywhere' }, signIn.outEverywhere);
  addRoute(router, { method: 'GET', path: '/' }, (ctx) => {
    ctx.redirect('/projects');
  });
  addRoute(router, { method: 'POST', path: '/preferences' }, (ctx) => {
    keepPreferences(ctx, cookies);
    ctx.redirect(localPath(ctx.state.form?.get('next')));
    ctx.status = 303;
  });
}

/** Routes of programs, which send a token instead of a cookie. */
function addHistoryApi(router: DashboardRouter, { list, one }: HistoryApi): void {
  const path = '/history/projects/:project/jobs';
  addRoute(router, { method: 'GET', path }, (ctx) => list(ctx, ctx.params));
  addRoute(router, { method: 'GET', path: `${path}/:job` }, (ctx) => one(ctx, ctx.params));
}

function createRouter(deps: DashboardAppDeps): DashboardRouter {
  const router: DashboardRouter = new Router({ strict: true, sensitive: true });
  addOpenRoutes(router, deps);
  if (deps.historyApi !== undefined) addHistoryApi(router, deps.historyApi);
  const { refusedApi } = deps;
  if (refusedApi !== undefined)
    addRoute(router, { method: 'GET', path: '/refused/projects/:project/requests' }, (ctx) =>
      refusedApi(ctx, ctx.params),
    );
  for (const route of deps.routes) addRoute(router, route, (ctx) => deps.runRoute(ctx, route, ctx.params));
  return router;
}

/** The web dashboard: its middleware, in order, and its routes. */
export function createDashboardApp(deps: DashboardAppDeps): Koa<DashboardState, DefaultContextExtends> {
  const { log, clock, metrics, readForwarded, url } = deps;
  function inFlight(name: InFlightDeps['name'], max: number) {
    return createInFlight({
      name,
      max,
      readForwarded,
      onRefused: (limit) => metrics.overloads.inc({ limit }),
    });
  }
  const app = new Koa<DashboardState, DefaultContextExtends>();
  app.on('error', (error: unknown) => {
    log.debug({ err: error }, 'failed to write a response');
  });
  app.use(createRequestId());
  app.use(createMeasureRequest({ metrics, clock, readForwarded }));
  app.use(createRequestLog({ log, clock, readForwarded }));
  app.use(createSecurityHeaders({ url, readForwarded }));
  app.use(deps.assets.serve);
  app.use(deps.errorPages);
  app.use(createInFlightLimit(inFlight('requests', deps.inFlight.maxRequests)));
  app.use(createHttpsRedirect({ url, readForwarded }));
  app.use(createOwnOrigin({ url }));
  app.use(createFormBody(inFlight('forms', deps.inFlight.maxFormBytes)));
  app.use(deps.loadSession);
  app.use(createRouter(deps).routes());
  app.use(async (ctx) => {
    // The page of this error has the navigation, which asks the API server.
    if (ctx.state.session !== undefined) await deps.limitRequests(ctx, ctx.state.session);
    throw notFound();
  });
  return app;
}
