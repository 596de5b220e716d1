export type ErrorType =
  | 'authentication_error'
  | 'permission_error'
  | 'invalid_request_error'
  | 'rate_limit_error'
  | 'api_error';

/** Requests that can return a code; `other` is a request to neither of the two operations. */
export type Responded = 'create' | 'read' | 'other';

export interface ErrorCodeFacts {
  readonly status: number;
  readonly type: ErrorType;
  /** The cause, and what the caller can do. */
  readonly text: string;
  readonly on: readonly Responded[];
}

const ALL = ['create', 'read', 'other'] as const;
const OPERATIONS = ['create', 'read'] as const;
const CREATE = ['create'] as const;

/** Every code of an error response. The API reference is generated from this table. */
export const ERROR_CODES = {
  malformed_request: {
    status: 400,
    type: 'invalid_request_error',
    text: 'The request is not valid HTTP.',
    on: ALL,
  },
  https_required: {
    status: 400,
    type: 'invalid_request_error',
    text: 'This request was sent over plain HTTP, so its token may be compromised. Use HTTPS and rotate the token.',
    on: ALL,
  },
  invalid_json: {
    status: 400,
    type: 'invalid_request_error',
    text: 'The body is not valid UTF-8 JSON, repeats a field, is nested too deeply, or was truncated.',
    on: CREATE,
  },
  invalid_idempotency_key: {
    status: 400,
    type: 'invalid_request_error',
    text: 'The header Idempotency-Key is empty, malformed, too long, or sent more than once.',
    on: CREATE,
  },
  authentication_required: {
    status: 401,
    type: 'authentication_error',
    text: 'The Authorization header is missing. Send "Authorization: Bearer" followed by an access token of the project.',
    on: OPERATIONS,
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    text: 'The access token is unknown, malformed or revoked, or more than one was sent. The response does not reveal which.',
    on: OPERATIONS,
  },
  insufficient_permissions: {
    status: 403,
    type: 'permission_error',
    text: 'The access token is valid but lacks the permission "create" or "read". Use a token that has it.',
    on: OPERATIONS,
  },
  refused_by_policy: {
    status: 403,
    type: 'permission_error',
    text: 'A policy of the service refuses the job or its file list, and nothing was created. The same request will be refused again: report it to your administrator with the X-Request-Id of the response.',
    on: CREATE,
  },
  resource_not_found: {
    status: 404,
    type: 'invalid_request_error',
    text: 'The zip, the bucket of the archive (param is then bucket_name), a bucket with files (param is then urls) or the path does not exist in this project. Check the id, the name and service of the bucket, the URL of the file, or the path.',
    on: ALL,
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    text: 'The path does not support this method. The header Allow lists the supported ones.',
    on: ['other'],
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    text: 'The request timed out before it was complete. Send it again.',
    on: ALL,
  },
  body_too_large: {
    status: 413,
    type: 'invalid_request_error',
    text: 'The request body is too large and nothing was created. Split the files into several archives.',
    on: CREATE,
  },
  too_many_values: {
    status: 413,
    type: 'invalid_request_error',
    text: 'The request body contains more JSON values than any valid request, and nothing was created. Remove unknown fields, or split the files into several archives.',
    on: CREATE,
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    text: 'The body must be uncompressed application/json in UTF-8.',
    on: CREATE,
  },
  parameter_missing: {
    status: 422,
    type: 'invalid_request_error',
    text: 'A required field is missing; param names it.',
    on: CREATE,
  },
  parameter_invalid: {
    status: 422,
    type: 'invalid_request_error',
    text: 'A field has an invalid type or value, or exceeds a limit; param names it and the message explains the rule. If the body is not a JSON object, param is null.',
    on: OPERATIONS,
  },
  idempotency_key_reused: {
    status: 422,
    type: 'invalid_request_error',
    text: 'The Idempotency-Key was used with a different request. Send the original body, or use a new key.',
    on: CREATE,
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    text: 'Too many requests with this token, in this project, or without a valid token from this address, or too many creates or files of this project per second. Wait for the seconds in Retry-After.',
    on: OPERATIONS,
  },
  concurrency_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    text: 'The project has too many concurrent requests, or too many bytes in their bodies. Wait until some are complete; Retry-After has the seconds. With an Idempotency-Key, a retry never creates a second job.',
    on: OPERATIONS,
  },
  file_lists_full: {
    status: 429,
    type: 'rate_limit_error',
    text: 'The stored file lists of the project reached their size limit. Wait until jobs finish.',
    on: CREATE,
  },
  stored_jobs_full: {
    status: 429,
    type: 'rate_limit_error',
    text: 'The project stores as many jobs as its limit allows. Wait until finished jobs are deleted, or delete some.',
    on: CREATE,
  },
  stored_bytes_full: {
    status: 429,
    type: 'rate_limit_error',
    text: 'The jobs and file lists of the project reached their size limit. Wait until finished jobs are deleted, or delete some.',
    on: CREATE,
  },
  quota_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    text: 'A quota of the project has no room for the job. Delete finished jobs, or ask your administrator for a higher quota.',
    on: CREATE,
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request_error',
    text: 'The request headers are too large. Send fewer or shorter headers.',
    on: ALL,
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    text: 'The service has an internal error. Report it with the X-Request-Id of the response.',
    on: ALL,
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    text: 'A dependency of the service does not respond, or the service is busy. Send the same request again after the seconds in Retry-After. With an Idempotency-Key, a retry never creates a second job.',
    on: OPERATIONS,
  },
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
export type ErrorCode = keyof typeof ERROR_CODES;
