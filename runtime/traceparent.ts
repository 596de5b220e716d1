import { defined } from './optional.ts';

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The header of W3C trace context when it is a valid one of version 00. */
export const validTraceparent = (header: string | undefined): string | undefined =>
  header !== undefined && TRACEPARENT.test(header) ? header : undefined;

/** What log lines of one trace have in common: `{ traceId }`, or nothing without a valid header. */
export const traceFields = (header: string | undefined): { readonly traceId?: string } => {
  const traceId = TRACEPARENT.exec(header ?? '')?.[1];
  return defined({ traceId });
};
