import { randomBytes } from 'node:crypto';
import { defined } from '#runtime/collections/optional.ts';
import { remoteSpan } from '#runtime/log/traceparent.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { isJobSampled, jobSpanId, jobTraceId, type Span } from '#runtime/tracing/span.ts';
import type { Tracer } from '#runtime/tracing/tracer.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';

type Ids = Pick<Span, 'traceId' | 'spanId'>;

/** The span of the request that created a job is the parent of those of the controller, which derives its ID from the uid too. */
function idsOfJob(uid: string, remote: string | undefined): Ids {
  return { traceId: remote ?? jobTraceId(uid), spanId: jobSpanId(uid, 'request') };
}

function randomIds(remote: string | undefined): Ids {
  return { traceId: remote ?? randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
}

function idsOf({ state }: ApiContext, ratio: number, remote: string | undefined): Ids | undefined {
  const uid = state.createdJob?.uid;
  if (uid !== undefined) return isJobSampled(uid, ratio) ? idsOfJob(uid, remote) : undefined;
  // A repeated request is drawn again: otherwise it could add a span to a trace any number of times.
  return Math.random() < ratio ? randomIds(remote) : undefined;
}

function attributesOf({ method, status, state }: ApiContext): Span['attributes'] {
  return defined({
    'http.request.method': method,
    'http.route': state.route,
    'http.response.status_code': status,
    'error.type': state.error?.code,
    'zipjobs.project': state.principal?.namespace,
    'zipjobs.job.id': state.createdJob?.id,
  });
}

export interface TraceRequestDeps {
  readonly tracer: Tracer;
  /** The time of the API server, as in the status of jobs. */
  readonly clock: Pick<Clock, 'date'>;
}

/** Leaves a span for each request that was to create a job. Reads have none: callers poll. */
export function createTraceRequest({ tracer, clock }: TraceRequestDeps): ApiMiddleware {
  return async (ctx, next): Promise<void> => {
    const startMs = clock.date().getTime();
    await next();
    const { method, status, state } = ctx;
    if (method !== 'POST' || state.route === undefined) return;
    const remote = remoteSpan(ctx.get('traceparent'));
    const ids = idsOf(ctx, tracer.ratio, remote?.traceId);
    if (!ids) return;
    const span: Span = {
      ...ids,
      ...defined({ parentSpanId: remote?.spanId }),
      name: `POST ${state.route}`,
      kind: 'server',
      startMs,
      endMs: Math.max(startMs, clock.date().getTime()),
      attributes: attributesOf(ctx),
      isError: status >= 500,
    };
    tracer.add([span]);
  };
}
