import { defined } from '../collections/optional.ts';

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** The W3C trace context header, if it is valid and has version 00. */
export function validTraceparent(header: string | undefined): string | undefined {
  return header !== undefined && TRACEPARENT.test(header) ? header : undefined;
}

/** The log fields of a trace: `{ traceId }`, or nothing without a valid header. */
export function traceFields(header: string | undefined): { readonly traceId?: string } {
  const traceId = TRACEPARENT.exec(header ?? '')?.[1];
  return defined({ traceId });
}

/** The trace and the span of the caller. Undefined without a valid header. */
export function remoteSpan(
  header: string | undefined,
): { readonly traceId: string; readonly spanId: string } | undefined {
  const [, traceId, spanId] = TRACEPARENT.exec(header ?? '') ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
