import Router, { type RouterMiddleware } from '@koa/router';
import Koa, { type DefaultContextExtends } from 'koa';
import type { ReadForwarded } from '#runtime/http/client-address.ts';
import { createRequestId } from '#runtime/http/request-id.ts';
import { createRequestLog } from '#runtime/http/request-log.ts';
import { createMeasureRequest } from '#runtime/http/request-metrics.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { badRequest, methodNotAllowed, resourceNotFound } from './errors/api-error.ts';
import { createAuthentication } from './http/authentication.ts';
import { servedBasePaths } from './http/base-paths.ts';
import type { ApiMiddleware, ApiState } from './http/context.ts';
import { createCountRequests } from './http/count-requests.ts';
import { createErrors } from './http/errors.ts';
import { createJsonBody, type JsonBodyOptions } from './http/json-body.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createTraceRequest, type TraceRequestDeps } from './http/trace-request.ts';
import { createWalk } from './http/walk-limits.ts';
import type { InFlightLimits } from './limits/all-limits.ts';
import { createInFlight } from './limits/in-flight.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import type { ApiMetrics } from './metrics.ts';
import { type PublishedDocument, serveDocument } from './openapi/route.ts';
import { createNoteRefused } from './refused/note-refused.ts';
import type { RefusedLog } from './refused/refused-log.ts';
import type { ZipJobRoutes } from './routes.ts';
import type { Authenticate } from './tokens/authenticate.ts';
import type { NoteUse } from './tokens/last-used.ts';

/**
 * Refuses requests that reached the trusted proxy over plain HTTP. A redirect would hide the mistake, and every request
 * would send the token unencrypted again.
 */
function createHttpsOnly(readForwarded: ReadForwarded): ApiMiddleware {
  return async (ctx, next): Promise<void> => {
    if (readForwarded(ctx.req).protocol === 'http')
      throw badRequest(
        'https_required',
        'This request was sent over plain HTTP, so its access token may be compromised. Use HTTPS and rotate the token.',
      );
    await next();
  };
}

export interface AppDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: ApiMetrics;
  readonly readForwarded: ReadForwarded;
  readonly authenticate: Authenticate;
  readonly noteUse: NoteUse;
  readonly zipJobs: ZipJobRoutes;
  readonly documents: readonly PublishedDocument[];
  /** Path prefix of all public URLs; empty for none. */
  readonly basePath: string;
  readonly body: JsonBodyOptions;
  readonly rateLimits: RateLimits;
  readonly inFlight: InFlightLimits;
  readonly refused: Pick<RefusedLog, 'note'>;
  /** Undefined without tracing. */
  readonly tracing?: TraceRequestDeps | undefined;
  /** True after the stop signal: responses then close their connections. */
  readonly isStopping: () => boolean;
}

type Route = RouterMiddleware<ApiState, DefaultContextExtends>;

function createBody({ inFlight, body, metrics, rateLimits, clock }: AppDeps): ApiMiddleware {
  return createJsonBody({
    ...body,
    bodies: createInFlight({
      name: 'bodies',
      max: inFlight.maxBodyBytes,
      onRefused: (limit) => metrics.overloads.inc({ limit }),
    }),
    rateLimits,
    clock,
    onDelayed: (ms) => metrics.bodyDelays.inc(ms / 1_000),
  });
}

function createRouter(deps: AppDeps): Router<ApiState, DefaultContextExtends> {
  const authentication = createAuthentication({
    authenticate: deps.authenticate,
    noteUse: deps.noteUse,
    rateLimit: createRateLimit({
      rateLimits: deps.rateLimits,
      readForwarded: deps.readForwarded,
      onExceeded: (limit) => {
        deps.metrics.rateLimited.inc({ limit });
      },
    }),
    onOutcome: (outcome) => {
      deps.metrics.authentications.inc({ outcome });
    },
  });
  const limits = createWalk(deps);
  const jsonBody = createBody(deps);
  const router = new Router<ApiState, DefaultContextExtends>({ strict: true, sensitive: true });
  function named(template: string): Route {
    return async (ctx, next) => {
      ctx.state.route = template;
      await next();
    };
  }
  for (const base of servedBasePaths(deps.basePath)) {
    for (const document of deps.documents) {
      const path = `${base}${document.path}`;
      router.get(path, named(path), serveDocument(document));
    }
    const collection = `${base}/v1/zips`;
    const steps = [
      named(collection),
      authentication('create'),
      limits('opened', 'create'),
      jsonBody,
      limits('paced', 'create'),
      limits('handled', 'create'),
    ];
    router.post(collection, ...steps, (ctx) => deps.zipJobs.create(ctx));
    const item = `${collection}/:id`;
    const readSteps = (['opened', 'paced', 'handled'] as const).map((at) => limits(at, 'read'));
    router.get(item, named(item), authentication('read'), ...readSteps, (ctx) =>
      deps.zipJobs.read(ctx, ctx.params['id'] ?? ''),
    );
  }
  return router;
}

/** Browsers at an address that is close to the reference. Relative, because a proxy may have removed a part of the path. */
function createToReference(basePath: string): ApiMiddleware {
  const targets = new Map(
    servedBasePaths(basePath).flatMap((base) => [
      [base, `${base.slice(base.lastIndexOf('/') + 1)}/docs`] as const,
      [`${base}/`, 'docs'] as const,
      [`${base}/docs/`, '../docs'] as const,
    ]),
  );
  return async (ctx, next): Promise<void> => {
    const target = ctx.method === 'GET' || ctx.method === 'HEAD' ? targets.get(ctx.path) : undefined;
    if (target === undefined || ctx.accepts('application/json', 'text/html') !== 'text/html') await next();
    else ctx.redirect(target);
  };
}

/** Handles requests without a route: another method of a known path, or an unknown path. */
function createNoRoute(router: Router<ApiState, DefaultContextExtends>, basePath: string): ApiMiddleware {
  return (ctx) => {
    const methods = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
    if (methods.length > 0) throw methodNotAllowed(ctx.method, [...new Set(methods)]);
    throw resourceNotFound(
      `Path not found. Create zips at ${basePath}/v1/zips; see the API reference at ${basePath}/docs.`,
    );
  };
}

function createStopping(isStopping: () => boolean): ApiMiddleware {
  return async (ctx, next) => {
    if (isStopping()) ctx.set('Connection', 'close');
    await next();
  };
}

const noStore: ApiMiddleware = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  await next();
};

function logFieldsOf({ error, principal, zipJob, delayedMs }: ApiState): Readonly<Record<string, unknown>> {
  return {
    code: error?.code,
    param: error?.param ?? undefined,
    project: principal?.namespace,
    zipToken: principal?.tokenName,
    zipJob,
    delayedMs,
  };
}

/** The HTTP API: order of the middleware and routes. */
export function createApp(deps: AppDeps): Koa<ApiState, DefaultContextExtends> {
  const { log, clock, metrics, readForwarded } = deps;
  const app = new Koa<ApiState, DefaultContextExtends>();
  // Koa only reports responses that could not be written, usually because the client disconnected.
  app.on('error', (error: unknown) => {
    log.debug({ err: error }, 'could not write a response');
  });
  const router = createRouter(deps);
  app.use(createRequestId());
  app.use(createMeasureRequest({ metrics, clock, readForwarded }));
  app.use(createCountRequests(metrics));
  app.use(createRequestLog({ log, clock, readForwarded, fieldsOf: logFieldsOf }));
  app.use(createNoteRefused(deps.refused));
  if (deps.tracing) app.use(createTraceRequest(deps.tracing));
  app.use(createStopping(deps.isStopping));
  app.use(noStore);
  app.use(createErrors(log));
  app.use(createHttpsOnly(readForwarded));
  app.use(router.routes());
  app.use(createToReference(deps.basePath));
  app.use(createNoRoute(router, deps.basePath));
  return app;
}
