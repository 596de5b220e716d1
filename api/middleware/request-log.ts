import type { Clock } from '#runtime/clock.ts';
import type { ReadForwarded } from '#runtime/http/client-address.ts';
import type { Logger } from '#runtime/log.ts';
import { traceFields } from '#runtime/traceparent.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';

export interface RequestLogDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly readForwarded: ReadForwarded;
}

const SHOWN_PATH_LENGTH = 256;

/** Logs the path without its query, where callers put secrets by mistake. */
const fieldsOf = (ctx: ApiContext): Record<string, unknown> => {
  const { state } = ctx;
  return {
    requestId: state.requestId,
    ...traceFields(ctx.get('traceparent')),
    method: ctx.method,
    path: ctx.path.slice(0, SHOWN_PATH_LENGTH),
    route: state.route,
    status: ctx.status,
    code: state.error?.code,
    param: state.error?.param ?? undefined,
    project: state.principal?.namespace,
    zipToken: state.principal?.tokenName,
    zipJob: state.zipJob,
  };
};

/** Logs one line per request, once its response is ready. */
export const createRequestLog =
  ({ log, clock, readForwarded }: RequestLogDeps): ApiMiddleware =>
  async (ctx, next): Promise<void> => {
    const startedAt = clock.monotonicMs();
    await next();
    const durationMs = Math.round((clock.monotonicMs() - startedAt) * 10) / 10;
    log.info({ ...fieldsOf(ctx), client: readForwarded(ctx.req).address, durationMs }, 'request');
  };
