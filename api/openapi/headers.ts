import { MOST_SHOWN_FIELDS, SHOWN_FIELD_LENGTH } from '../create/unknown-fields.ts';
import type { Header } from './document-types.ts';

function text(description: string, example: string, more: Partial<Header> = {}): Header {
  return {
    description,
    schema: { type: 'string' },
    example,
    ...more,
  };
}

const REQUEST_ID = text(
  'Id of the request in the logs of the service: the id from the request, or a new one.',
  '0b0e7b1c-5a0f-4d0b-9b37-6b1a5d0f6c11',
);

const RETRY_AFTER: Header = {
  description: 'Seconds to wait before sending the request again.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
  example: '7',
};

const RATE_LIMITS = {
  'RateLimit-Policy': text(
    'Limits of the token and of the project: q requests in w seconds. Absent if there are no limits.',
    '"token";q=6000;w=60, "project";q=12000;w=60',
  ),
  RateLimit: text(
    'Remaining quota: r requests in the next t seconds. A 429 because of the token reports only the token.',
    '"token";r=5999;t=60, "project";r=11999;t=60',
  ),
} as const;

/** Responses to invalid or incomplete HTTP requests have no request id. */
const WITHOUT_ID: readonly number[] = [400, 408, 431];
/** Responses without quota headers: only requests with a valid token report a quota. */
const UNCOUNTED: readonly number[] = [401, 405, 408, 431];

const OF_STATUS: Readonly<Record<number, Readonly<Record<string, Header>>>> = {
  201: {
    Location: text('Path of the job, with the same prefix as the request.', '/api/v1/zips/ID', {
      required: true,
    }),
    'Idempotent-Replayed': text(
      '`true` if an earlier request with the same Idempotency-Key created the job.',
      'true',
    ),
    'Ignored-Fields': text(
      `Unknown fields of the request, which have no effect: a list of quoted strings (RFC 9651) with the first ${MOST_SHOWN_FIELDS} names. Those of entries start with \`urls[].\`. A name is cut to ${SHOWN_FIELD_LENGTH} characters, and characters other than printable ASCII are shown as \`?\`. Absent if there are none.`,
      '"comment", "urls[].note"',
    ),
  },
  401: {
    'WWW-Authenticate': text('Authentication scheme (RFC 6750).', 'Bearer realm="zipjobs"', {
      required: true,
    }),
  },
  405: { Allow: text('Supported methods.', 'POST', { required: true }) },
  429: { 'Retry-After': RETRY_AFTER },
  503: { 'Retry-After': RETRY_AFTER },
};

/** The headers of a response with this status. */
export function headersOf(status: number): Readonly<Record<string, Header>> {
  return {
    'X-Request-Id': { ...REQUEST_ID, required: !WITHOUT_ID.includes(status) },
    ...(UNCOUNTED.includes(status) ? {} : RATE_LIMITS),
    ...OF_STATUS[status],
  };
}
