import { defined } from '#runtime/collections/optional.ts';
import { ProxyError, type ProxyErrorCode } from '#runtime/egress/proxy/proxy-error.ts';
import { errorCode } from '#runtime/errors.ts';
import type { ResponseHead } from './http-get.ts';
import { readOriginReport } from './origin-report.ts';
import { formatAge, presignedExpiry } from './presigned-expiry.ts';
import { requestedWaitMs } from './rate-limit-headers.ts';
import { type SourceFault, SourceFaultError } from './source-error.ts';

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Codes of OpenSSL and Node.js for a rejected certificate or handshake. */
const TLS_CODE =
  /^(?:CERT_|CRL_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|INVALID_CA|EPROTO)/;
const PROXY_CODES: Readonly<Record<ProxyErrorCode, SourceFault['code']>> = {
  ProxyAuthenticationRequired: 'SourceProxyAuthenticationRequired',
  ProxyForbidden: 'SourceProxyForbidden',
  ProxyUnavailable: 'SourceUnreachable',
};
const HEADERS_TOO_LARGE = 'UND_ERR_HEADERS_OVERFLOW';

export function isRedirect(status: number): boolean {
  return REDIRECT_STATUSES.has(status);
}

/** Statuses with which stores reject an invalid or expired signature. */
const UNSIGNED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403]);

/** Codes with which stores reject temporary credentials that have expired. */
const EXPIRED_CODES: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'SecurityTokenExpired',
  'TokenExpired',
]);

export interface FailedResponse extends ResponseHead {
  /** Code of the S3 error in the body. */
  readonly storeCode?: string | undefined;
}

/** Why a response means that the signature or its credentials have expired. */
function expiryReason({ status, storeCode = '' }: FailedResponse, url: URL, now: number): string | undefined {
  if (!UNSIGNED_STATUSES.has(status)) return undefined;
  const expiry = presignedExpiry(url);
  if (expiry !== undefined && expiry < now) return `its signed URL expired ${formatAge(now - expiry)} ago`;
  return EXPIRED_CODES.has(storeCode)
    ? 'the temporary credentials that signed its URL have expired'
    : undefined;
}

/** Statuses that answer something that no request without a resume point contains. */
const UNASKED: Readonly<Record<number, string>> = {
  206: ', but no range was requested',
  412: ', but the request had no condition',
  416: ', but no range was requested',
};

/** The fault for a status that is neither success nor redirect. `url` is the URL that returned it. */
export function statusFault(head: FailedResponse, url: URL, now: number): SourceFault {
  const { status, storeCode } = head;
  const code = storeCode === undefined ? '' : ` (${storeCode})`;
  const response = `the source responded with status ${status}${code}${UNASKED[status] ?? ''}`;
  const expired = expiryReason(head, url, now);
  if (expired !== undefined) {
    const text = `${expired}, and ${response}; sign URLs for long enough to cover the time in the queue and the download`;
    return { code: 'SourceExpired', text, retryable: false, httpStatus: status };
  }
  const date = new Date(now);
  if (readOriginReport(head, date).kind !== 'served') {
    const wait = requestedWaitMs(head.headers, date);
    return {
      code: 'SourceUnavailable',
      text: response,
      retryable: true,
      httpStatus: status,
      ...defined({ retryAfterMs: wait }),
    };
  }
  return {
    code: status >= 400 ? 'SourceNotFound' : 'SourceInvalid',
    text: response,
    retryable: false,
    httpStatus: status,
  };
}

function bodyFault(cause: unknown): SourceFault {
  return {
    code: 'SourceTruncated',
    text: 'the connection closed before the body ended',
    retryable: true,
    cause,
  };
}

function headFault(cause: unknown): SourceFault {
  const code = errorCode(cause) ?? '';
  if (code === HEADERS_TOO_LARGE)
    return { code: 'SourceInvalid', text: 'the response headers are too large', retryable: false, cause };
  if (TLS_CODE.test(code))
    return {
      code: 'SourceTlsError',
      text: `the TLS certificate or handshake is invalid (${code})`,
      retryable: false,
      cause,
    };
  if (cause instanceof ProxyError)
    return { code: PROXY_CODES[cause.code], text: cause.message, retryable: cause.retryable, cause };
  return { code: 'SourceUnreachable', text: 'the source is unreachable', retryable: true, cause };
}

/** The fault for an error of the client. `inBody` is true if the head was already received. */
export function errorFault(error: unknown, inBody: boolean): SourceFault {
  if (error instanceof SourceFaultError) return error.fault;
  return inBody ? bodyFault(error) : headFault(error);
}
