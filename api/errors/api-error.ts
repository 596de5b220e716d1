import { defined } from '#runtime/collections/optional.ts';
import { AppError } from '#runtime/errors.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { findQuotaRefusal, quotaText } from '#runtime/kube/quota-refusal.ts';
import { ERROR_CODES, type ErrorCode, type ErrorType } from './error-codes.ts';

export interface ApiErrorOptions {
  readonly code: ErrorCode;
  readonly param?: string;
  /** Path of the field, if it is more exact than `param`, such as `urls[3].url`. The response does not have it. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the body, which the request asked for. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error response. The message is sent to the caller. */
export class ApiError extends AppError {
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | null;
  readonly path: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(message: string, options: ApiErrorOptions) {
    const { status, type } = ERROR_CODES[options.code];
    super(message, { code: options.code, retryable: status >= 500, cause: options.cause });
    this.status = status;
    this.type = type;
    this.param = options.param ?? null;
    this.path = options.path ?? this.param;
    this.headers = options.headers ?? {};
    this.more = options.more ?? {};
  }
}

/** The body of every error response. */
export function errorBody(error: ApiError): string {
  return JSON.stringify({
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      param: error.param,
      ...error.more,
    },
  });
}

const REALM = 'Bearer realm="zipjobs"';

export function authenticationRequired(): ApiError {
  return new ApiError('Missing Authorization header. Send "Authorization: Bearer <access token>".', {
    code: 'authentication_required',
    headers: { 'WWW-Authenticate': REALM },
  });
}

/** The same response for every invalid token, so that it does not reveal the reason. */
export function invalidApiKey(): ApiError {
  return new ApiError(
    'Invalid access token: it is malformed, was revoked, or its project was deleted. Send a valid token.',
    {
      code: 'invalid_api_key',
      headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token"` },
    },
  );
}

export function insufficientPermissions(permission: string): ApiError {
  return new ApiError(`The access token lacks the permission "${permission}". Use a token that has it.`, {
    code: 'insufficient_permissions',
  });
}

export function parameterMissing(param: string): ApiError {
  return new ApiError(`Missing required parameter: ${param}`, {
    code: 'parameter_missing',
    param,
  });
}

export function parameterInvalid(
  param: string,
  message: string,
  options: Pick<ApiErrorOptions, 'path' | 'more'> = {},
): ApiError {
  return new ApiError(message, { code: 'parameter_invalid', param, ...options });
}

/** The error message for a field that does not exist. */
export function misspelledText(path: string, meant: string): string {
  return `Unknown field ${JSON.stringify(path)}. Did you mean ${JSON.stringify(meant)}?`;
}

/** A field that does not exist, whose name is almost that of another one. Without a refusal, it would do nothing. */
export function parameterMisspelled(param: string, path: string, meant: string): ApiError {
  return parameterInvalid(param, misspelledText(path, meant), { path });
}

export function resourceNotFound(message: string, param?: string): ApiError {
  return new ApiError(message, {
    code: 'resource_not_found',
    ...defined({ param }),
  });
}

/** An error of the request itself, detected before its fields are validated. */
export function badRequest(code: ErrorCode, message: string): ApiError {
  return new ApiError(message, { code });
}

export function invalidJson(message: string, cause?: unknown): ApiError {
  return new ApiError(message, { code: 'invalid_json', cause });
}

export function notAnObject(cause: Error): ApiError {
  return new ApiError(cause.message, { code: 'parameter_invalid', cause });
}

export function bodyTooLarge(limit: number): ApiError {
  return new ApiError(
    `The request body is larger than ${limit} bytes. Split the files into several archives.`,
    {
      code: 'body_too_large',
      headers: { Connection: 'close' },
    },
  );
}

export function tooManyValues(cause?: unknown): ApiError {
  return new ApiError(
    'The request body contains more JSON values than any valid request. Remove unknown fields, or split the files into several archives.',
    { code: 'too_many_values', cause },
  );
}

export function methodNotAllowed(method: string, allowed: readonly string[]): ApiError {
  return new ApiError(`Method ${method} is not supported for this path. Use ${allowed.join(' or ')}.`, {
    code: 'method_not_allowed',
    headers: { Allow: allowed.join(', ') },
  });
}

/** The key belongs to another request, whose response must not be returned. */
export function idempotencyKeyReused(): ApiError {
  return badRequest(
    'idempotency_key_reused',
    'This Idempotency-Key was used with a different request. Send the original body, or use a new key.',
  );
}

const DEFAULT_RETRY_AFTER_MS = 2_000;
const FULL_RETRY_SECONDS = 60;
const FULL_HEADERS = { 'Retry-After': String(FULL_RETRY_SECONDS) };

/** Waiting helps, because lists are deleted some time after their job finishes. */
export function fileListsFull(maxBytes: number): ApiError {
  return new ApiError(
    `The stored file lists of this project reached the limit of ${maxBytes} bytes (compressed). Wait until jobs finish and their lists are deleted.`,
    { code: 'file_lists_full', headers: FULL_HEADERS },
  );
}

/**
 * Waiting helps, because the controller deletes finished jobs of a full project before their time. When, only its settings and the
 * history decide.
 */
export function storedJobsFull(maxJobs: number): ApiError {
  return new ApiError(
    `This project stores ${maxJobs} jobs, which is its limit. Delete finished jobs, send the request again later, or ask your administrator for a higher limit.`,
    { code: 'stored_jobs_full', headers: FULL_HEADERS },
  );
}

export function storedBytesFull(maxBytes: number): ApiError {
  return new ApiError(
    `The jobs and file lists of this project reached the limit of ${maxBytes} bytes. Delete finished jobs, send the request again later, or ask your administrator for a higher limit.`,
    { code: 'stored_bytes_full', headers: FULL_HEADERS },
  );
}

/** A ResourceQuota of the namespace refused the job or its file list. */
export function quotaExceeded(cause: unknown): ApiError {
  const refusal = cause instanceof KubeError ? findQuotaRefusal(cause.said) : undefined;
  const what = refusal
    ? quotaText(refusal)
    : 'A quota of the project has no room for the job or its file list';
  return new ApiError(`${what}. Delete finished jobs, or ask your administrator for a higher quota.`, {
    code: 'quota_exceeded',
    headers: FULL_HEADERS,
    cause,
  });
}

/**
 * A policy engine of the cluster refused the job or its file list. The caller can change nothing about it, and does not learn the rule:
 * the log of the API has it.
 */
export function refusedByPolicy(cause: unknown): ApiError {
  return new ApiError(
    'A policy of the service refuses the job or its file list. Report it to your administrator with the X-Request-Id of this response.',
    { code: 'refused_by_policy', cause },
  );
}

/** @param scope the requests that were counted: of a token, of a project, or failed ones of a client address */
export function rateLimitExceeded(scope: string, retryAfterSeconds: number): ApiError {
  return new ApiError(`Too many ${scope}. Send the request again in ${retryAfterSeconds} s.`, {
    code: 'rate_limit_exceeded',
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

/** The other requests of the project use its part of what the service handles at once. */
export function concurrencyLimitExceeded(): ApiError {
  return new ApiError(
    'Too many concurrent requests of this project, or too many bytes in their bodies. Wait until some are complete, and send the request again after the time in Retry-After.',
    { code: 'concurrency_limit_exceeded', headers: { 'Retry-After': String(DEFAULT_RETRY_AFTER_MS / 1000) } },
  );
}

export function internalError(cause: unknown): ApiError {
  return new ApiError('Internal error. Report it with the X-Request-Id of this response.', {
    code: 'internal_error',
    cause,
  });
}

/** A dependency of the API does not respond, or the service is busy; a retry may succeed. */
export function serviceUnavailable(cause: unknown): ApiError {
  const asked = cause instanceof AppError ? cause.retryAfterMs : undefined;
  const seconds = Math.max(1, Math.ceil((asked ?? DEFAULT_RETRY_AFTER_MS) / 1000));
  return new ApiError(
    'The service is temporarily unavailable. Send the request again after the time in Retry-After.',
    {
      code: 'service_unavailable',
      headers: { 'Retry-After': String(seconds) },
      cause,
    },
  );
}
