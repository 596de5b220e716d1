export type ErrorType =
  | 'authentication_error'
  | 'permission_error'
  | 'invalid_request_error'
  | 'rate_limit_error'
  | 'api_error';

/** Requests that a code can answer; `other` is what is neither of the two operations. */
export type Answered = 'create' | 'read' | 'other';

export interface ErrorCodeFacts {
  readonly status: number;
  readonly type: ErrorType;
  /** What has happened, and what a caller can do about it. */
  readonly text: string;
  readonly on: readonly Answered[];
}

const ALL = ['create', 'read', 'other'] as const;
const OPERATIONS = ['create', 'read'] as const;
const CREATE = ['create'] as const;

/** Every code of an error answer. What callers are told about codes is made from this table. */
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
    text: 'The request came over plain HTTP, its token in the clear: use HTTPS and replace the token.',
    on: ALL,
  },
  invalid_json: {
    status: 400,
    type: 'invalid_request_error',
    text: 'The body is not one JSON text in UTF-8, names a field twice, is nested too deep, or did not arrive whole.',
    on: CREATE,
  },
  invalid_idempotency_key: {
    status: 400,
    type: 'invalid_request_error',
    text: 'The header Idempotency-Key is empty, malformed, too long or there more than once.',
    on: CREATE,
  },
  authentication_required: {
    status: 401,
    type: 'authentication_error',
    text: 'There is no Authorization header: send "Authorization: Bearer" and an access token of the project.',
    on: OPERATIONS,
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    text: 'The access token is wrong, malformed or revoked, or there is more than one. The answer does not tell which.',
    on: OPERATIONS,
  },
  insufficient_permissions: {
    status: 403,
    type: 'permission_error',
    text: 'The access token is good but may not do this: it lacks the permission "create" or "read".',
    on: OPERATIONS,
  },
  resource_not_found: {
    status: 404,
    type: 'invalid_request_error',
    text: 'The project has no zip with that id, or no bucket of that name and service (param is then bucket_name); or there is nothing at this path.',
    on: ALL,
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    text: 'The path is right, the method is not; the header Allow names those that are.',
    on: ['other'],
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    text: 'The request did not arrive in time.',
    on: ALL,
  },
  body_too_large: {
    status: 413,
    type: 'invalid_request_error',
    text: 'The body is larger than it may be. Nothing was created: make several archives of it.',
    on: CREATE,
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    text: 'The body must be application/json in UTF-8 and not compressed.',
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
    text: 'A field has a wrong type or value, or is over a limit; param names it and the message tells the rule.',
    on: OPERATIONS,
  },
  idempotency_key_reused: {
    status: 422,
    type: 'invalid_request_error',
    text: 'The Idempotency-Key stands for another body already: send the same body again, or a new key.',
    on: CREATE,
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    text: 'Too many requests with this token, of this project, or without a good token from this address: wait as long as Retry-After says.',
    on: OPERATIONS,
  },
  file_lists_full: {
    status: 429,
    type: 'rate_limit_error',
    text: 'The file lists of the jobs of the project take up all the room that they may: wait until jobs have ended.',
    on: CREATE,
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request_error',
    text: 'The headers of the request are larger than they may be.',
    on: ALL,
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    text: 'Something went wrong on the side of the service. Report it with the X-Request-Id of the answer.',
    on: ALL,
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    text: 'Something that the service needs does not answer, or too much is in hand. Send the same request again after Retry-After; with an Idempotency-Key that never makes a second job.',
    on: OPERATIONS,
  },
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
export type ErrorCode = keyof typeof ERROR_CODES;
