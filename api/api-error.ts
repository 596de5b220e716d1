import { AppError } from '#runtime/errors.ts';
import { ERROR_CODES, type ErrorCode, type ErrorType } from './error-codes.ts';

export interface ApiErrorOptions {
  readonly code: ErrorCode;
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An answer that is not a success, as the caller sees it: the message is shown to the caller. */
export class ApiError extends AppError {
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, options: ApiErrorOptions) {
    const { status, type } = ERROR_CODES[options.code];
    super(message, { code: options.code, retryable: status >= 500, cause: options.cause });
    this.status = status;
    this.type = type;
    this.param = options.param ?? null;
    this.headers = options.headers ?? {};
  }
}

/** The body of every error answer. */
export const errorBody = (error: ApiError): string =>
  JSON.stringify({
    error: { type: error.type, code: error.code, message: error.message, param: error.param },
  });

const REALM = 'Bearer realm="zipjobs"';

export const authenticationRequired = (): ApiError =>
  new ApiError('No Authorization header: send "Authorization: Bearer <access token>".', {
    code: 'authentication_required',
    headers: { 'WWW-Authenticate': REALM },
  });

/** One answer for every token that does not open the door, so that it tells nothing about why. */
export const invalidApiKey = (): ApiError =>
  new ApiError(
    'The access token is not valid: it is not whole, was revoked, or its project is gone. Send another one.',
    {
      code: 'invalid_api_key',
      headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token"` },
    },
  );

export const insufficientPermissions = (permission: string): ApiError =>
  new ApiError(`The access token lacks the permission "${permission}": send one that has it.`, {
    code: 'insufficient_permissions',
  });

export const parameterMissing = (param: string): ApiError =>
  new ApiError(`Missing required parameter: ${param}`, {
    code: 'parameter_missing',
    param,
  });

export const parameterInvalid = (param: string, message: string): ApiError =>
  new ApiError(message, { code: 'parameter_invalid', param });

export const resourceNotFound = (message: string, param?: string): ApiError =>
  new ApiError(message, {
    code: 'resource_not_found',
    ...(param === undefined ? {} : { param }),
  });

/** What is wrong with the request as such, before any of its fields is looked at. */
export const badRequest = (code: ErrorCode, message: string): ApiError => new ApiError(message, { code });

export const invalidJson = (message: string, cause?: unknown): ApiError =>
  new ApiError(message, { code: 'invalid_json', cause });

export const bodyTooLarge = (limit: number): ApiError =>
  new ApiError(`The request body is larger than ${limit} bytes.`, {
    code: 'body_too_large',
    headers: { Connection: 'close' },
  });

export const methodNotAllowed = (method: string, allowed: readonly string[]): ApiError =>
  new ApiError(`${method} is not possible here; possible: ${allowed.join(', ')}.`, {
    code: 'method_not_allowed',
    headers: { Allow: allowed.join(', ') },
  });

/** The key stands for another request, whose answer this one must not get. */
export const idempotencyKeyReused = (): ApiError =>
  badRequest(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request: send the same body again, or a new key.',
  );

const FILE_LISTS_RETRY_SECONDS = 60;

/** Lists are deleted some time after their job has ended, so that waiting helps. */
export const fileListsFull = (maxBytes: number): ApiError =>
  new ApiError(
    `The file lists of the jobs of this project take up all of the ${maxBytes} bytes that they may (compressed): wait until jobs have ended and their lists are gone.`,
    {
      code: 'file_lists_full',
      headers: { 'Retry-After': String(FILE_LISTS_RETRY_SECONDS) },
    },
  );

/** @param scope whose requests they were: the token's, the project's, or failed ones of a client's address */
export const rateLimitExceeded = (scope: string, retryAfterSeconds: number): ApiError =>
  new ApiError(`Too many ${scope}: send the request again in ${retryAfterSeconds} s.`, {
    code: 'rate_limit_exceeded',
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });

export const internalError = (cause: unknown): ApiError =>
  new ApiError('Something went wrong on our side; the request id names it in the logs.', {
    code: 'internal_error',
    cause,
  });

const DEFAULT_RETRY_AFTER_MS = 2_000;

/** Something that the API depends on does not answer; the same request may succeed later. */
export const serviceUnavailable = (cause: unknown): ApiError => {
  const asked = cause instanceof AppError ? cause.retryAfterMs : undefined;
  const seconds = Math.max(1, Math.ceil((asked ?? DEFAULT_RETRY_AFTER_MS) / 1000));
  return new ApiError('The service cannot answer right now; send the request again later.', {
    code: 'service_unavailable',
    headers: { 'Retry-After': String(seconds) },
    cause,
  });
};
