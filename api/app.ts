import Router, { type RouterMiddleware } from '@koa/router';
import Koa, { type DefaultContextExtends } from 'koa';
import type { Clock } from '#runtime/clock.ts';
import type { ReadForwarded } from '#runtime/http/client-address.ts';
import { createRequestId } from '#runtime/http/request-id.ts';
import { createRequestLog } from '#runtime/http/request-log.ts';
import { createMeasureRequest } from '#runtime/http/request-metrics.ts';
import type { Logger } from '#runtime/log.ts';
import { badRequest, methodNotAllowed, resourceNotFound } from './api-error.ts';
import { servedBasePaths } from './base-paths.ts';
import type { ApiMiddleware, ApiState } from './context.ts';
import type { ApiMetrics } from './metrics.ts';
import { createAuthentication } from './middleware/authentication.ts';
import { createErrors } from './middleware/errors.ts';
import { createInFlightLimit } from './middleware/in-flight-limit.ts';
import { createJsonBody, type JsonBodyOptions } from './middleware/json-body.ts';
import { createRateLimit } from './middleware/rate-limit.ts';
import { type Delay, refusalOf } from './rate-limits/delay.ts';
import { createInFlight } from './rate-limits/in-flight.ts';
import type { RateLimits } from './rate-limits/rate-limits.ts';
import { MAX_DELAY_MS } from './rate-limits/request-pace.ts';
import { type PublishedDocument, serveDocument } from './routes/documents.ts';
import type { ZipJobRoutes } from './routes/zip-jobs.ts';
import { createQueue } from './steps.ts';
import type { Authenticate, Principal } from './tokens/authenticate.ts';
import type { NoteUse } from './tokens/last-used.ts';

interface PacingDeps {
  /** The longest wait of a request. */
  readonly delayOf: (principal: Principal) => Delay;
  readonly clock: Pick<Clock, 'after'>;
  readonly onDelayed: (limit: Delay['limit']) => void;
  readonly onExceeded: (limit: Delay['limit']) => void;
}

/**
 * Delays requests of a token or project that sends them faster than its limits per second allow, so that it
 * cannot use the service for seconds at a time. Those that are refused wait too: clients that ignore Retry-After would
 * otherwise repeat them at once. Must follow the limit of requests in flight, which bounds how many wait, and
 * the reading of the body, so that its bytes count.
 */
function createPacing({ delayOf, clock, onDelayed, onExceeded }: PacingDeps): ApiMiddleware {
  return async (ctx, next) => {
    const { principal } = ctx.state;
    if (principal === undefined) return next();
    const delay = delayOf(principal);
    const refusal = refusalOf(delay);
    if (refusal !== undefined) onExceeded(delay.limit);
    else if (delay.ms >= 1) onDelayed(delay.limit);
    const ms = Math.min(delay.ms, MAX_DELAY_MS);
    if (ms >= 1) {
      ctx.state.delayedMs = Math.round(ms);
      await new Promise<void>((resolve) => void clock.after(ms, resolve));
    }
    if (refusal !== undefined) throw refusal;
    await next();
  };
}

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

/**
 * Handles at most `max` requests at a time and serves projects round-robin. All requests share one event loop and the
 * connections to the API server, which know no projects: otherwise a request would wait behind every open request of a busy
 * project. Must follow the limits of requests in flight, which bound how many wait, and the reading of the body,
 * so that a slow sender occupies no place.
 */
function createActiveLimit(max: number): ApiMiddleware {
  const enqueue = createQueue(max);
  return (ctx, next) => enqueue(ctx.state.principal?.namespace ?? '', next);
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
  readonly inFlight: {
    /** Maximum concurrent requests with a valid token. */
    readonly maxRequests: number;
    /** Maximum bytes of request bodies in memory. */
    readonly maxBodyBytes: number;
    /** Maximum concurrent creates. */
    readonly maxCreates: number;
    /** Maximum requests that are handled at the same time; the others wait. */
    readonly maxActive: number;
  };
  /** True after the stop signal: responses then close their connections. */
  readonly isStopping: () => boolean;
}

type Route = RouterMiddleware<ApiState, DefaultContextExtends>;

function createLimits({ inFlight, body, metrics, rateLimits, clock }: AppDeps) {
  function onRefused(limit: string): void {
    metrics.overloads.inc({ limit });
  }
  const { maxRequests, maxBodyBytes, maxCreates, maxActive } = inFlight;
  const pacing = {
    clock,
    onDelayed: (limit: Delay['limit']): void => metrics.delayed.inc({ limit }),
    onExceeded: (limit: Delay['limit']): void => metrics.rateLimited.inc({ limit }),
  };
  const bodies = createInFlight({ name: 'bodies', max: maxBodyBytes, onRefused });
  return {
    requests: createInFlightLimit(createInFlight({ name: 'requests', max: maxRequests, onRefused })),
    jsonBody: createJsonBody({
      ...body,
      bodies,
      rateLimits,
      clock,
      onDelayed: (ms) => metrics.bodyDelays.inc(ms / 1_000),
    }),
    creates: createInFlightLimit(createInFlight({ name: 'creates', max: maxCreates, onRefused })),
    active: createActiveLimit(maxActive),
    paceCreate: createPacing({ ...pacing, delayOf: rateLimits.createDelay }),
    paceRead: createPacing({ ...pacing, delayOf: rateLimits.requestDelay }),
  };
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
  const { requests, jsonBody, paceCreate, paceRead, creates, active } = createLimits(deps);
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
      requests,
      jsonBody,
      paceCreate,
      creates,
      active,
    ];
    router.post(collection, ...steps, (ctx) => deps.zipJobs.create(ctx));
    const item = `${collection}/:id`;
    router.get(item, named(item), authentication('read'), requests, paceRead, active, (ctx) =>
      deps.zipJobs.read(ctx, ctx.params['id'] ?? ''),
    );
  }
  return router;
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
  app.use(createRequestLog({ log, clock, readForwarded, fieldsOf: logFieldsOf }));
  app.use(createStopping(deps.isStopping));
  app.use(noStore);
  app.use(createErrors(log));
  app.use(createHttpsOnly(readForwarded));
  app.use(router.routes());
  app.use(createNoRoute(router, deps.basePath));
  return app;
}
