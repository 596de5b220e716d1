import {
  type ApiError,
  authenticationRequired,
  badRequest,
  bodyTooLarge,
  concurrencyLimitExceeded,
  fileListsFull,
  idempotencyKeyReused,
  insufficientPermissions,
  internalError,
  invalidApiKey,
  invalidJson,
  methodNotAllowed,
  parameterInvalid,
  parameterMissing,
  quotaExceeded,
  rateLimitExceeded,
  refusedByPolicy,
  resourceNotFound,
  serviceUnavailable,
  storedBytesFull,
  storedJobsFull,
  tooManyValues,
} from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { PublishedSettings } from './published-settings.ts';

export type ErrorExamples = Readonly<Record<ErrorCode, ApiError>>;

/** One response for each code, exactly as callers receive it. */
export function errorExamples(settings: PublishedSettings): ErrorExamples {
  return {
    malformed_request: badRequest('malformed_request', 'The request is not valid HTTP.'),
    https_required: badRequest(
      'https_required',
      'This request was sent over plain HTTP, so its access token may be compromised. Use HTTPS and rotate the token.',
    ),
    invalid_json: invalidJson('The body is not valid JSON: unexpected character at line 3, column 7.'),
    invalid_idempotency_key: badRequest(
      'invalid_idempotency_key',
      'The header Idempotency-Key is malformed. Send one value of 1 to 255 printable ASCII characters, such as a UUID.',
    ),
    authentication_required: authenticationRequired(),
    invalid_api_key: invalidApiKey(),
    insufficient_permissions: insufficientPermissions('create'),
    refused_by_policy: refusedByPolicy(undefined),
    resource_not_found: resourceNotFound(
      'Bucket "archives" (s3) not found in this project. Correct "bucket_name", or add the bucket to the project.',
      'bucket_name',
    ),
    method_not_allowed: methodNotAllowed('GET', ['POST']),
    request_timeout: badRequest(
      'request_timeout',
      'The request timed out before it was complete. Send it again.',
    ),
    body_too_large: bodyTooLarge(settings.maxBodyBytes),
    too_many_values: tooManyValues(),
    unsupported_media_type: badRequest(
      'unsupported_media_type',
      'The Content-Type must be application/json.',
    ),
    parameter_missing: parameterMissing('bucket_name'),
    parameter_invalid: parameterInvalid('urls', 'urls must contain at least one entry.'),
    idempotency_key_reused: idempotencyKeyReused(),
    rate_limit_exceeded: rateLimitExceeded('requests with this access token', 7),
    concurrency_limit_exceeded: concurrencyLimitExceeded(),
    file_lists_full: fileListsFull(settings.maxFileListBytesPerProject),
    stored_jobs_full: storedJobsFull(settings.projectLimits.storedJobs),
    stored_bytes_full: storedBytesFull(settings.projectLimits.storedBytes),
    quota_exceeded: quotaExceeded(undefined),
    headers_too_large: badRequest(
      'headers_too_large',
      'The request headers are too large. Send fewer or shorter headers.',
    ),
    internal_error: internalError(undefined),
    service_unavailable: serviceUnavailable(undefined),
  };
}
