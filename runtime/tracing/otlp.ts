import type { Span } from './span.ts';

/** The process that sends the spans. */
export interface TraceSource {
  /** Such as `zipjobs-controller`. */
  readonly service: string;
  readonly version: string;
}

type Value = string | number;

/** 64-bit integers are text in OTLP's JSON, as in all JSON of Protocol Buffers. */
function anyValue(value: Value): Record<string, unknown> {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function keyValues(values: object): readonly Record<string, unknown>[] {
  return Object.entries(values)
    .filter((entry): entry is [string, Value] => entry[1] !== undefined)
    .map(([key, value]) => ({ key, value: anyValue(value) }));
}

/** `SpanKind` and `Status.StatusCode` of opentelemetry/proto/trace/v1/trace.proto. JSON has enums as numbers. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

function nanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms)) * 1_000_000n}`;
}

function toOtlp({ startMs, endMs, kind, attributes, isError, ...span }: Span): Record<string, unknown> {
  return {
    ...span,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    ...(isError === true && { status: { code: STATUS_ERROR } }),
  };
}

/** An `ExportTraceServiceRequest` of OTLP 1 as JSON. */
export function encodeSpans(spans: readonly Span[], { service, version }: TraceSource): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues({ 'service.name': service, 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'zipjobs', version }, spans: spans.map(toOtlp) }],
      },
    ],
  });
}
