const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The header of W3C trace context when it is a valid one of version 00. */
export const validTraceparent = (header: string): string | undefined =>
  TRACEPARENT.test(header) ? header : undefined;
