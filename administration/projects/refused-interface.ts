/** The interface over which the command line reads refused requests from the dashboard. */
import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';

const TEXT = { type: 'string' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

const REFUSED_REQUEST_SCHEMA = {
  type: 'object',
  required: ['requestIds', 'count', 'firstAt', 'lastAt', 'method', 'route', 'status', 'code', 'meaning'],
  properties: {
    /** The newest ones, newest first. */
    requestIds: { type: 'array', items: TEXT },
    /** Equal requests. */
    count: COUNT,
    firstAt: TEXT,
    lastAt: TEXT,
    /** Mask of the access token; absent for users who may not list tokens. */
    token: TEXT,
    method: TEXT,
    route: TEXT,
    status: COUNT,
    code: TEXT,
    meaning: TEXT,
    param: TEXT,
  },
} as const satisfies JsonSchema;

/** Response of `/refused/projects/:project/requests`. */
export const REFUSED_REQUESTS_SCHEMA = {
  type: 'object',
  required: ['requests', 'notes'],
  properties: {
    requests: { type: 'array', items: REFUSED_REQUEST_SCHEMA },
    /** What may be missing, as sentences. */
    notes: { type: 'array', items: TEXT },
  },
} as const satisfies JsonSchema;

/** Equal requests that the API refused within ten minutes. */
export type RefusedRequest = FromSchema<typeof REFUSED_REQUEST_SCHEMA>;
export type RefusedRequestList = FromSchema<typeof REFUSED_REQUESTS_SCHEMA>;

/** Filters; an empty text matches everything. */
export interface RefusedQuery {
  /** A request ID. */
  readonly id: string;
  /** Mask of an access token, or a part of it. */
  readonly token: string;
  readonly code: string;
}

/** The filters that are set, as the query of a link. */
export function refusedParams(query: RefusedQuery): URLSearchParams {
  return new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
}

export function refusedPath(project: string): string {
  return `/refused/projects/${encodeURIComponent(project)}/requests`;
}
