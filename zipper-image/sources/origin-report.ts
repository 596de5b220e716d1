import { errorCode } from '#runtime/errors.ts';
import { retryAfterMs } from '#runtime/http/retry-after.ts';
import type { ResponseHead } from './http-get.ts';
import { isQuotaUsedUp, requestedWaitMs } from './rate-limit-headers.ts';
import { SourceFaultError } from './source-error.ts';

/** What the head of a response says about its origin. */
export type OriginReport =
  /** The origin handles requests. The status is about the file. */
  | { readonly kind: 'served' }
  /** The origin wants fewer requests. `waitMs` is the wait that it requests. */
  | { readonly kind: 'throttled'; readonly status: number; readonly waitMs: number | undefined }
  /** The same request may succeed later. */
  | { readonly kind: 'failing' };

/** 529: overloaded. 509: the bandwidth is used up. */
const THROTTLED: ReadonlySet<number> = new Set([429, 503, 509, 529]);
/** Request Timeout and Too Early. */
const FAILING: ReadonlySet<number> = new Set([408, 425]);
/** Not Implemented and HTTP Version Not Supported do not change with time. */
const PERMANENT: ReadonlySet<number> = new Set([501, 505]);

function asksToWait({ status, headers }: ResponseHead, now: Date): boolean {
  if (status === 403 && isQuotaUsedUp(headers)) return true;
  return (
    (status === 202 || (status >= 400 && status < 500)) &&
    retryAfterMs(headers['retry-after'], now) !== undefined
  );
}

/** Pure. */
export function readOriginReport(head: ResponseHead, now: Date): OriginReport {
  const { status, headers } = head;
  if (THROTTLED.has(status) || asksToWait(head, now))
    return { kind: 'throttled', status, waitMs: requestedWaitMs(headers, now) };
  const isServerError = status >= 500 && status < 600 && !PERMANENT.has(status);
  return { kind: isServerError || FAILING.has(status) ? 'failing' : 'served' };
}

/** Codes of connections that were refused, reset, or did not get an answer. */
const REFUSALS: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/**
 * True if an error that came instead of a response may mean that the origin has too many connections: it was refused or reset, or
 * nothing came in time. Pure.
 */
export function isConnectionRefusal(error: unknown): boolean {
  return error instanceof SourceFaultError
    ? error.fault.noResponse === true
    : REFUSALS.has(errorCode(error) ?? '');
}
