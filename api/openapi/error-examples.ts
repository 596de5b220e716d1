import {
  type ApiError,
  authenticationRequired,
  badRequest,
  bodyTooLarge,
  fileListsFull,
  idempotencyKeyReused,
  insufficientPermissions,
  internalError,
  invalidApiKey,
  invalidJson,
  methodNotAllowed,
  parameterInvalid,
  parameterMissing,
  rateLimitExceeded,
  resourceNotFound,
  serviceUnavailable,
} from '../api-error.ts';
import type { ErrorCode } from '../error-codes.ts';
import type { PublishedSettings } from './published-settings.ts';

/** One answer of each code, as a caller gets it. */
export const errorExamples = (settings: PublishedSettings): Readonly<Record<ErrorCode, ApiError>> => ({
  malformed_request: badRequest('malformed_request', 'The request is not valid HTTP.'),
  https_required: badRequest(
    'https_required',
    'Use HTTPS. The access token of this request was sent in the clear: replace it.',
  ),
  invalid_json: invalidJson('The body is not valid JSON.'),
  invalid_idempotency_key: badRequest(
    'invalid_idempotency_key',
    'The header Idempotency-Key is malformed: send one value of 1 to 255 printable ASCII characters, such as a UUID.',
  ),
  authentication_required: authenticationRequired(),
  invalid_api_key: invalidApiKey(),
  insufficient_permissions: insufficientPermissions('create'),
  resource_not_found: resourceNotFound(
    'This project has no s3 bucket of that name. Correct "bucket_name", or have the bucket added to the project first.',
    'bucket_name',
  ),
  method_not_allowed: methodNotAllowed('GET', ['POST']),
  request_timeout: badRequest('request_timeout', 'The request did not arrive in time.'),
  body_too_large: bodyTooLarge(settings.maxBodyBytes),
  unsupported_media_type: badRequest('unsupported_media_type', 'The Content-Type must be application/json.'),
  parameter_missing: parameterMissing('bucket_name'),
  parameter_invalid: parameterInvalid('urls', 'urls must have at least one entry.'),
  idempotency_key_reused: idempotencyKeyReused(),
  rate_limit_exceeded: rateLimitExceeded('requests with this access token', 7),
  file_lists_full: fileListsFull(settings.maxFileListBytesPerProject),
  headers_too_large: badRequest('headers_too_large', 'The headers of the request are too large.'),
  internal_error: internalError(undefined),
  service_unavailable: serviceUnavailable(undefined),
});
