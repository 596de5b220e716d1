import { createHash } from 'node:crypto';

/** What a span may say. A closed list: never a URL, an object key, the name of a file or a bucket, metadata or a token. */
export interface SpanAttributes {
  /** Namespace of the project. */
  readonly 'zipjobs.project'?: string;
  /** The ID in the API and in webhooks. */
  readonly 'zipjobs.job.id'?: string;
  readonly 'zipjobs.result'?: 'succeeded' | 'failed' | 'cancelled';
  /** A reason of our own or of Kubernetes, from a closed list. */
  readonly 'zipjobs.reason'?: string;
  readonly 'zipjobs.files'?: number;
  readonly 'zipjobs.files.skipped'?: number;
  /** Size of the archive. */
  readonly 'zipjobs.bytes'?: number;
  readonly 'zipjobs.bytes.resumed'?: number;
  readonly 'zipjobs.retries'?: number;
  readonly 'zipjobs.attempts'?: number;
  /** Number of the attempt, from 1. */
  readonly 'zipjobs.attempt'?: number;
  readonly 'zipjobs.attempt.class'?: string;
  readonly 'zipjobs.exit_code'?: number;
  readonly 'zipjobs.webhook.state'?: 'Pending' | 'Delivered' | 'Exhausted';
  /** Name of an endpoint. Absent for the default one. */
  readonly 'zipjobs.webhook.endpoint'?: string;
  readonly 'http.request.method'?: string;
  /** Template of the route, such as `/v1/zips`. */
  readonly 'http.route'?: string;
  readonly 'http.request.body.size'?: number;
  readonly 'http.response.status_code'?: number;
  /** Code of an error in a response of the API, or class of a delivery without a response. */
  readonly 'error.type'?: string;
}

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent for the first span of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Milliseconds since 1970. */
  readonly startMs: number;
  /** Not before `startMs`. */
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly isError?: boolean;
}

function digest(...texts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(texts)).digest();
}

/** The trace of a job whose caller sent none: the same in every process and after every restart. */
export function jobTraceId(uid: string): string {
  return digest('trace', uid).toString('hex', 0, 16);
}

/** The ID of a span of a job, such as `request`: the same in every process, so that spans of others can name it as their parent. */
export function jobSpanId(uid: string, span: string): string {
  return digest('span', uid, span).toString('hex', 0, 8);
}

const BITS = 48;

/**
 * Whether a job is in the sample. Depends only on the uid, which the API server draws: neither the `sampled` flag of a caller nor a
 * chosen trace ID or Idempotency-Key changes it, and all processes decide the same.
 */
export function isJobSampled(uid: string, ratio: number): boolean {
  return digest('sample', uid).readUIntBE(0, BITS / 8) < ratio * 2 ** BITS;
}
