import { ANNOTATIONS } from '#crds/api-group.ts';
import { findCondition, type Reason } from '#crds/conditions.ts';
import { uidOf } from '#crds/object-meta.ts';
import { DEFAULT_ENDPOINT, endpointsOf, type Named } from '#crds/webhook-endpoints.ts';
import type { WebhookDelivery, WebhookState, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { acceptedAtOf, zipJobId } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import { remoteSpan } from '#runtime/log/traceparent.ts';
import { jobSpanId, jobTraceId, type Span, type SpanAttributes } from '#runtime/tracing/span.ts';
import { timeOf } from '../cluster/times.ts';
import { isSuccess } from '../webhook/retries.ts';
import { knownReason } from './known-reason.ts';

/*
 * The trace of a finished job, from the times in its status:
 *
 *     POST /v1/zips                       sent by the API
 *     └─ zip job                          from the acceptance to the end of the webhook
 *        ├─ queue                         until its Kubernetes Job exists
 *        ├─ start                         until the first progress of a zipper
 *        ├─ attempt                       one for each pod in the status, from its creation to its exit
 *        │  ├─ fetch                      until the last source is read; uploads parts meanwhile
 *        │  └─ upload                     the parts that are left, the completion and its verification
 *        ├─ recovery                      of the last attempt that needed one
 *        └─ webhook                     one for each endpoint
 *           └─ webhook delivery           one for each attempt
 *
 * Times in the status are whole seconds, of several clocks and may be missing, so each span is cut to its parent.
 */

const ROOT = 'job';
const WEBHOOK = 'webhook';

/** The IDs of the trace of a job: those of the caller, or derived from the uid. */
export function traceIdOf({ metadata }: Pick<ZipJob, 'metadata'>): string {
  return (
    remoteSpan(metadata.annotations?.[ANNOTATIONS.traceparent])?.traceId ?? jobTraceId(uidOf({ metadata }))
  );
}

/** Of the span of an attempt, counted from 1. Without a number, of that of all attempts at this endpoint. */
function deliveryPartId(endpoint: string, attempt?: number): string {
  // A name may be a number.
  const all = endpoint === DEFAULT_ENDPOINT ? WEBHOOK : `${WEBHOOK}/${endpoint}`;
  return attempt === undefined ? all : `${all} ${attempt}`;
}

export function deliverySpanId(
  { metadata }: Pick<ZipJob, 'metadata'>,
  endpoint: string,
  attempt?: number,
): string {
  return jobSpanId(uidOf({ metadata }), deliveryPartId(endpoint, attempt));
}

interface Range {
  readonly startMs: number;
  readonly endMs: number;
}

function cut(ms: number, { startMs, endMs }: Range): number {
  return Math.min(Math.max(ms, startMs), endMs);
}

/** Missing times become the start or the end of the parent. */
function within(parent: Range, from: number | undefined, to: number | undefined): Range {
  const startMs = cut(from ?? parent.startMs, parent);
  return { startMs, endMs: Math.max(startMs, cut(to ?? parent.endMs, parent)) };
}

interface Part extends Range, Pick<Span, 'name' | 'attributes' | 'isError' | 'kind'> {
  /** Unique in the job: the span ID is derived from it. */
  readonly id: string;
  readonly children?: readonly Part[];
}

function part(id: string, range: Range, more: Partial<Part> = {}): Part {
  return { id, name: id, kind: 'internal', attributes: {}, ...range, ...more };
}

function transitionOf({ conditions }: ZipJobStatus, type: 'JobCreated' | 'Recovered'): number | undefined {
  const condition = findCondition(conditions, type);
  return condition?.status === 'True' ? timeOf(condition.lastTransitionTime) : undefined;
}

/** With the milliseconds of the API, if it is the same second. */
function acceptedMs(zipJob: ZipJob): number | undefined {
  const seconds = timeOf(acceptedAtOf(zipJob));
  const exact = timeOf(zipJob.metadata.annotations?.[ANNOTATIONS.acceptedAt]);
  return seconds !== undefined && exact !== undefined && Math.abs(exact - seconds) < 1_000 ? exact : seconds;
}

/** Deliveries of the first series: one that is sent again counts from 1 again. */
function firstSeries({ log = [] }: WebhookState): readonly WebhookDelivery[] {
  const again = log.findIndex(({ attempt = 0 }, index) => attempt <= (log[index - 1]?.attempt ?? 0));
  return again === -1 ? log : log.slice(0, again);
}

function deliveryEnd({ at, durationMs }: WebhookDelivery): number | undefined {
  const startMs = timeOf(at);
  return startMs === undefined ? undefined : startMs + Math.max(0, durationMs);
}

const ERROR_CLASS = /^[a-z][a-z-]{0,39}$/;

function deliveryPart(delivery: WebhookDelivery, endpoint: string, webhook: Range): Part {
  const { attempt, status, error, bytes, at } = delivery;
  const errorClass = error === undefined ? undefined : (ERROR_CLASS.exec(error)?.[0] ?? 'other');
  return part(deliveryPartId(endpoint, attempt), within(webhook, timeOf(at), deliveryEnd(delivery)), {
    name: 'webhook delivery',
    kind: 'client',
    isError: !isSuccess(status),
    attributes: defined({
      'http.request.method': 'POST',
      'zipjobs.attempt': attempt,
      'http.request.body.size': bytes,
      'http.response.status_code': status,
      'error.type': errorClass,
    }),
  });
}

function endpointPart(delivery: WebhookState & Named, finishedAt: string | undefined, job: Range): Part {
  const { name: endpoint, state } = delivery;
  const deliveries = firstSeries(delivery);
  const ends = deliveries.map(deliveryEnd).filter((ms) => ms !== undefined);
  const range = within(job, timeOf(finishedAt), Math.max(timeOf(finishedAt) ?? job.startMs, ...ends));
  return part(deliveryPartId(endpoint), range, {
    name: WEBHOOK,
    attributes: defined({
      'zipjobs.webhook.state': state === 'NotConfigured' ? undefined : state,
      'zipjobs.webhook.endpoint': endpoint === DEFAULT_ENDPOINT ? undefined : endpoint,
    }),
    isError: state === 'Exhausted',
    children: deliveries.map((one) => deliveryPart(one, endpoint, range)),
  });
}

function webhookParts({ webhook, finishedAt }: ZipJobStatus, job: Range): readonly Part[] {
  return endpointsOf<WebhookState>(webhook)
    .filter(({ state }) => state !== 'NotConfigured')
    .map((delivery) => endpointPart(delivery, finishedAt, job));
}

const UPLOADED: Reason = 'Uploaded';

/** The zipper reports how long it read and how long it ran, and its result finishes the job. */
function phases({ reason, result, finishedAt }: ZipJobStatus, attempt: Range): readonly Part[] {
  if (reason !== UPLOADED || result?.fetchSeconds === undefined) return [];
  const endMs = cut(timeOf(finishedAt) ?? attempt.endMs, attempt);
  const startMs = endMs - result.seconds * 1_000;
  const readMs = startMs + result.fetchSeconds * 1_000;
  return [
    part('fetch', within(attempt, startMs, readMs), { attributes: { 'zipjobs.files': result.entries } }),
    part('upload', within(attempt, readMs, endMs), {
      attributes: { 'zipjobs.bytes': result.bytes },
    }),
  ];
}

function attemptParts(status: ZipJobStatus, job: Range): readonly Part[] {
  const { attempts = [] } = status;
  return attempts.map((attempt, index) => {
    const { n, startedAt, finishedAt, exitCode, reason, resumedBytes } = attempt;
    const range = within(job, timeOf(startedAt), timeOf(finishedAt));
    const isLast = index === attempts.length - 1;
    return part(`attempt ${index}`, range, {
      name: 'attempt',
      isError: attempt.class !== 'success',
      attributes: defined({
        'zipjobs.attempt': n,
        'zipjobs.attempt.class': attempt.class,
        'zipjobs.reason': reason === undefined ? undefined : knownReason(reason),
        'zipjobs.exit_code': exitCode,
        'zipjobs.bytes.resumed': resumedBytes,
      }),
      children: isLast ? phases(status, range) : [],
    });
  });
}

const RECOVERED: Reason = 'Recovered';

/** The status has the time of the last recovery only. */
function recoveryParts(status: ZipJobStatus, job: Range): readonly Part[] {
  const endMs = transitionOf(status, 'Recovered');
  if (endMs === undefined || findCondition(status.conditions, 'Recovered')?.reason !== RECOVERED) return [];
  const attempt = status.attempts?.findLast(
    ({ class: ended, finishedAt }) => ended !== 'success' && (timeOf(finishedAt) ?? Infinity) <= endMs,
  );
  if (!attempt) return [];
  const range = within(job, timeOf(attempt.finishedAt), endMs);
  return [part('recovery', range, { attributes: { 'zipjobs.attempt': attempt.n } })];
}

function waitParts(status: ZipJobStatus, job: Range): readonly Part[] {
  const finishedMs = timeOf(status.finishedAt);
  const createdMs = transitionOf(status, 'JobCreated');
  const queue = part('queue', within(job, job.startMs, createdMs ?? finishedMs));
  if (createdMs === undefined) return [queue];
  return [queue, part('start', within(job, createdMs, timeOf(status.startedAt) ?? finishedMs))];
}

const RESULTS = { Succeeded: 'succeeded', Failed: 'failed', Cancelled: 'cancelled' } as const;

function resultOf({ phase }: ZipJobStatus): 'succeeded' | 'failed' | 'cancelled' {
  return phase === 'Succeeded' || phase === 'Cancelled' ? RESULTS[phase] : RESULTS.Failed;
}

function factsOf({ metadata, status = {} }: ZipJob): SpanAttributes {
  const { reason = '', result, attemptsTotal, progress } = status;
  return defined({
    'zipjobs.project': metadata.namespace,
    'zipjobs.job.id': zipJobId({ metadata }),
    'zipjobs.result': resultOf(status),
    'zipjobs.reason': knownReason(reason),
    'zipjobs.attempts': attemptsTotal,
    'zipjobs.files': result?.entries ?? progress?.filesTotal,
    'zipjobs.files.skipped': result?.skipped?.length,
    'zipjobs.bytes': result?.bytes,
    'zipjobs.retries': result?.retries,
  });
}

function rangeOf(zipJob: ZipJob): Range {
  const { finishedAt, webhook, attempts = [] } = zipJob.status ?? {};
  const finishedMs = timeOf(finishedAt) ?? 0;
  const deliveries = endpointsOf<WebhookState>(webhook).flatMap(firstSeries);
  const ends = [...deliveries.map(deliveryEnd), ...attempts.map((one) => timeOf(one.finishedAt))];
  return {
    // Both are whole seconds if kubectl created the job.
    startMs: Math.min(acceptedMs(zipJob) ?? finishedMs, finishedMs),
    endMs: Math.max(finishedMs, ...ends.filter((ms) => ms !== undefined)),
  };
}

/** The span of the API, which it sends itself, or that of the caller of a job that has none. */
function parentOf({ metadata }: ZipJob): string | undefined {
  const { [ANNOTATIONS.requestId]: requestId, [ANNOTATIONS.traceparent]: traceparent } =
    metadata.annotations ?? {};
  return requestId === undefined
    ? remoteSpan(traceparent)?.spanId
    : jobSpanId(uidOf({ metadata }), 'request');
}

/** The spans of a finished job. They depend on nothing but the ZipJob, so every process makes the same. */
export function jobTrace(zipJob: ZipJob): readonly Span[] {
  const { status = {} } = zipJob;
  const uid = uidOf(zipJob);
  const traceId = traceIdOf(zipJob);
  const range = rangeOf(zipJob);
  const root = part(ROOT, range, {
    name: 'zip job',
    attributes: factsOf(zipJob),
    isError: status.phase === 'Failed',
    children: [
      ...waitParts(status, range),
      ...attemptParts(status, range),
      ...recoveryParts(status, range),
      ...webhookParts(status, range),
    ],
  });
  function spansOf({ id, children = [], ...own }: Part, parentSpanId: string | undefined): readonly Span[] {
    const spanId = jobSpanId(uid, id);
    const span: Span = { traceId, spanId, ...defined({ parentSpanId }), ...own };
    return [span, ...children.flatMap((child) => spansOf(child, spanId))];
  }
  return spansOf(root, parentOf(zipJob));
}
