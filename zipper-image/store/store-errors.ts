import type { FailureCode } from '#crds/exit-codes.ts';
import { defined } from '#runtime/collections/optional.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { AppError, errorCode, isAbort, toError } from '#runtime/errors.ts';
import { retryAfterMs } from '#runtime/http/retry-after.ts';
import { redactText } from '#runtime/log/redact.ts';
import { refusedText, type ServiceTexts, STORE_TEXTS } from './service-texts.ts';

export interface StoreErrorOptions {
  readonly code: FailureCode;
  readonly retryable: boolean;
  /** The store's name of the error, such as `NoSuchUpload`, or the system's, such as `ECONNRESET`. */
  readonly storeCode: string;
  readonly httpStatus?: number | undefined;
  /** The store described the error in a document of S3. A proxy, or a store that is cut off, does not. */
  readonly isDocument?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A failed request to the object store. */
export class StoreError extends AppError {
  declare readonly code: FailureCode;
  readonly storeCode: string;
  readonly httpStatus: number | undefined;
  readonly isDocument: boolean;
  /** The store did nothing, because it requests fewer requests. */
  readonly isThrottle: boolean;

  constructor(message: string, options: StoreErrorOptions) {
    const { storeCode, httpStatus, retryAfterMs } = options;
    super(message, {
      code: options.code,
      retryable: options.retryable,
      cause: options.cause,
      details: { storeCode, ...defined({ storeStatus: httpStatus }) },
      ...defined({ retryAfterMs }),
    });
    this.storeCode = storeCode;
    this.httpStatus = httpStatus;
    this.isDocument = options.isDocument === true;
    this.isThrottle = this.isDocument && THROTTLES.has(storeCode);
  }
}

interface Verdict {
  readonly code: FailureCode;
  readonly retryable: boolean;
}

const THROTTLES: ReadonlySet<string> = new Set([
  'SlowDown',
  'SlowDownRead',
  'SlowDownWrite',
  'ServiceUnavailable',
  'TooManyRequests',
  'Throttling',
  'ThrottlingException',
  'RequestLimitExceeded',
]);

const later: Verdict = { code: 'StoreUnavailable', retryable: true };
const spoilt: Verdict = { code: 'StoreCorrupted', retryable: true };

function never(code: FailureCode): Verdict {
  return { code, retryable: false };
}

/** Maps a store's error names to our codes. Names take precedence over statuses. */
const BY_NAME: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ['NoSuchBucket', never('BucketNotFound')],
  ['AccessDenied', never('BucketAccessDenied')],
  ['AllAccessDisabled', never('BucketAccessDenied')],
  ['AccountProblem', never('BucketAccessDenied')],
  ['InvalidAccessKeyId', never('BucketCredentialsInvalid')],
  // versitygw returns this for an unknown access key ID.
  ['XAdminUserNotFound', never('BucketCredentialsInvalid')],
  ['SignatureDoesNotMatch', never('BucketCredentialsInvalid')],
  ['InvalidToken', never('BucketCredentialsInvalid')],
  ['InvalidTokenId', never('BucketCredentialsInvalid')],
  ['ExpiredToken', never('BucketCredentialsInvalid')],
  ['ExpiredTokenException', never('BucketCredentialsInvalid')],
  ['TokenRefreshRequired', never('BucketCredentialsInvalid')],
  ['InvalidClientTokenId', never('BucketCredentialsInvalid')],
  ['Unauthorized', never('BucketCredentialsInvalid')],
  ['InvalidSecurity', never('BucketCredentialsInvalid')],
  ['AuthorizationHeaderMalformed', never('BucketMisconfigured')],
  ['PermanentRedirect', never('BucketMisconfigured')],
  ['TemporaryRedirect', never('BucketMisconfigured')],
  ['IllegalLocationConstraintException', never('BucketMisconfigured')],
  ['InvalidBucketName', never('BucketMisconfigured')],
  ['InvalidStorageClass', never('BucketMisconfigured')],
  ['AccessControlListNotSupported', never('BucketMisconfigured')],
  ['NotImplemented', never('BucketMisconfigured')],
  ['NoSuchUpload', never('StoreUnavailable')],
  ['ConditionalRequestConflict', never('StoreUnavailable')],
  ['PreconditionFailed', never('ObjectExists')],
  ['InvalidPart', never('StoreCorrupted')],
  ['InvalidPartOrder', never('StoreCorrupted')],
  ['EntityTooSmall', never('StoreCorrupted')],
  ['BadDigest', spoilt],
  ['InvalidDigest', spoilt],
  ['IncompleteBody', spoilt],
  ['XAmzContentSHA256Mismatch', spoilt],
  ['XAmzContentChecksumMismatch', spoilt],
  ['InternalError', later],
  ['RequestTimeout', later],
  ['RequestTimeTooSkewed', later],
  ['OperationAborted', later],
  ['TimeoutError', later],
]);
for (const name of THROTTLES) (BY_NAME as Map<string, Verdict>).set(name, later);

/** What a code in the response of a store means; undefined for one that is not known, or not about the bucket. */
export function verdictOfStore(storeCode: string): Verdict | undefined {
  return BY_NAME.get(storeCode);
}

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Failures of the name, the proxy, the connection or its certificate: all occur before the request is sent. */
const UNSENT: ReadonlyMap<string, Verdict> = new Map([
  ['ProxyAuthenticationRequired', never('StoreProxyAuthenticationRequired')],
  ['ProxyForbidden', never('StoreProxyForbidden')],
  ['ProxyUnavailable', later],
  ['EgressRefused', never('BucketMisconfigured')],
  ['ERR_IP_BLOCKED', never('BucketMisconfigured')],
  // The name does not exist. An unavailable resolver returns EAI_AGAIN.
  ['ENOTFOUND', { code: 'BucketMisconfigured', retryable: true }],
  ['EAI_AGAIN', later],
  ['ECONNREFUSED', later],
  ['UND_ERR_CONNECT_TIMEOUT', later],
  ['ERR_TLS_CERT_ALTNAME_INVALID', never('BucketMisconfigured')],
  ['CERT_HAS_EXPIRED', never('BucketMisconfigured')],
  ...[...UNKNOWN_AUTHORITY].map((name) => [name, never('BucketMisconfigured')] as const),
]);

const BY_SYSTEM_CODE: ReadonlyMap<string, Verdict> = new Map([
  ...UNSENT,
  ['EPROTO', never('BucketMisconfigured')],
]);

function byStatus(status: number): Verdict {
  if (status === 401) return never('BucketCredentialsInvalid');
  if (status === 403) return never('BucketAccessDenied');
  if (status === 408 || status === 429 || status >= 500) return later;
  return never('BucketMisconfigured');
}

/** The field of a value whose shape nobody guarantees. */
function fieldOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}

/** Status of the response, which the S3 client attaches to its errors; undefined without a response. */
function statusOf(error: Error): number | undefined {
  const status = fieldOf(fieldOf(error, '$metadata'), 'httpStatusCode');
  return typeof status === 'number' ? status : undefined;
}

/** The header of the response, which the S3 client attaches to its errors. */
function headerOf(error: Error, name: string): string | undefined {
  const value = fieldOf(fieldOf(fieldOf(error, '$response'), 'headers'), name);
  return typeof value === 'string' ? value : undefined;
}

/** S3 reports the region of a bucket in a header or a field of the error if the request used another region. */
function regionHint(error: Error): string | undefined {
  const named = headerOf(error, 'x-amz-bucket-region') ?? fieldOf(error, 'Region');
  if (typeof named !== 'string' || !/^[a-z0-9-]{1,32}$/.test(named)) return undefined;
  return REGION_ERRORS.has(error.name) ? `the bucket is in region ${named}` : undefined;
}

const REGION_ERRORS: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'PermanentRedirect',
  'TemporaryRedirect',
  'IllegalLocationConstraintException',
]);

function judge(storeCode: string, systemCode: string | undefined, status: number | undefined): Verdict {
  return (
    BY_NAME.get(storeCode) ??
    (systemCode === undefined ? undefined : BY_SYSTEM_CODE.get(systemCode)) ??
    (status === undefined ? later : byStatus(status))
  );
}

function textOf(error: Error, texts: ServiceTexts): string {
  if (error instanceof EgressRefusedError) return refusedText(error, texts);
  return UNKNOWN_AUTHORITY.has(errorCode(error) ?? '') ? texts.untrusted : redactText(error.message);
}

/**
 * Converts any failure of the S3 client to a StoreError. Aborts by our own signal stay unchanged. `attempted` describes
 * the operation and its object.
 */
export function toStoreError(thrown: unknown, attempted: string, texts = STORE_TEXTS): Error {
  const error = toError(thrown);
  if (error instanceof StoreError || isAbort(error)) return error;
  const status = statusOf(error);
  const systemCode = errorCode(error);
  const storeCode = status === undefined ? (systemCode ?? error.name) : error.name;
  const verdict = judge(error.name, systemCode, status);
  const responded = status === undefined ? storeCode : `${status} ${storeCode}`;
  const text = textOf(error, texts);
  const hint = regionHint(error);
  return new StoreError(`${attempted}: ${responded}: ${hint === undefined ? text : `${text} (${hint})`}`, {
    ...verdict,
    storeCode,
    httpStatus: status,
    // The S3 client adds the fields of the document to the error.
    isDocument: typeof fieldOf(error, 'Code') === 'string',
    retryAfterMs: retryAfterMs(headerOf(error, 'retry-after'), new Date()),
    cause: error,
  });
}

/** True for a StoreError with one of these store codes. */
export function isStoreCode(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof StoreError && names.includes(error.storeCode);
}

/** True if the store certainly did not receive the request. */
export function isUnsent(error: unknown): boolean {
  return isStoreCode(error, ...UNSENT.keys());
}

/** True if the store may have responded, but no response arrived. */
export function isWithoutResponse(error: unknown): boolean {
  return error instanceof StoreError && error.httpStatus === undefined && !isUnsent(error);
}

/**
 * True if the store rejected the key, its signature or its session before it did anything. A missing permission, and a rejection by a
 * token service, are different errors.
 */
export function isKeyRejected(error: unknown): boolean {
  return (
    error instanceof StoreError && error.code === 'BucketCredentialsInvalid' && error.httpStatus !== undefined
  );
}

/** True if the store rejected the request for lack of permission. Unknown credentials are a different error. */
export function isDenied(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'BucketAccessDenied';
}
