import type { Logger } from '../log/log.ts';
import { traceFields } from '../log/traceparent.ts';
import type { Clock } from '../time/clock.ts';
import type { ReadForwarded } from './client-address.ts';
import type { RequestContext, RequestMiddleware, RequestState } from './request-state.ts';

export interface RequestLogDeps<S extends RequestState> {
  readonly log: Logger;
  readonly clock: Clock;
  readonly readForwarded: ReadForwarded;
  /** More fields, once the response is ready. */
  readonly fieldsOf?: (state: S) => Readonly<Record<string, unknown>>;
}

const SHOWN_PATH_LENGTH = 256;

/** Logs the path without its query, where callers put secrets by mistake. */
function commonFields(ctx: RequestContext): Readonly<Record<string, unknown>> {
  return {
    requestId: ctx.state.requestId,
    ...traceFields(ctx.get('traceparent')),
    method: ctx.method,
    path: ctx.path.slice(0, SHOWN_PATH_LENGTH),
    route: ctx.state.route,
    status: ctx.status,
  };
}

/** Logs one line per request, once its response is ready. */
export function createRequestLog<S extends RequestState>({
  log,
  clock,
  readForwarded,
  fieldsOf,
}: RequestLogDeps<S>): RequestMiddleware<S> {
  return async (ctx, next): Promise<void> => {
    const startedAt = clock.monotonicMs();
    await next();
    const durationMs = Math.round((clock.monotonicMs() - startedAt) * 10) / 10;
    const { address } = readForwarded(ctx.req);
    log.info({ ...commonFields(ctx), ...fieldsOf?.(ctx.state), client: address, durationMs }, 'request');
  };
}
