/** The interface over which the command line reads the history from the dashboard. */
import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';
import { SERVICES, TERMINAL_PHASES } from '#crds/zip-job.ts';

const TEXT = { type: 'string' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

const HISTORY_JOB_SCHEMA = {
  type: 'object',
  required: [
    'project',
    'name',
    'id',
    'service',
    'bucketName',
    'key',
    'phase',
    'reason',
    'files',
    'bytes',
    'createdAt',
    'finishedAt',
  ],
  properties: {
    project: TEXT,
    name: TEXT,
    id: TEXT,
    service: { enum: SERVICES },
    bucketName: TEXT,
    key: TEXT,
    phase: { enum: TERMINAL_PHASES },
    reason: TEXT,
    files: COUNT,
    /** Size of the archive; 0 without one. */
    bytes: COUNT,
    createdAt: TEXT,
    startedAt: TEXT,
    finishedAt: TEXT,
    durationMs: COUNT,
    createdBy: TEXT,
    webhookState: TEXT,
    runAgainOf: TEXT,
  },
} as const satisfies JsonSchema;

/** Response of `/history/projects/:project/jobs`. */
export const HISTORY_LIST_SCHEMA = {
  type: 'object',
  required: ['jobs'],
  properties: {
    jobs: { type: 'array', items: HISTORY_JOB_SCHEMA },
    /** Cursor of the next request; absent at the end. */
    next: TEXT,
    /** The search stopped at this time (RFC 3339), because it read as much as one request may; it continues at `next`. */
    searchedTo: TEXT,
  },
} as const satisfies JsonSchema;

/** A finished job in a list of the history. Unknown fields are absent. */
export type ListedHistoryJob = FromSchema<typeof HISTORY_JOB_SCHEMA>;
export type HistoryList = FromSchema<typeof HISTORY_LIST_SCHEMA>;

/** Most jobs in one response. */
export const MAX_HISTORY_LIMIT = 500;

/** Parameters of a list, besides `limit` and `cursor`. Absent ones select all. */
export interface HistoryListQuery {
  /** Any of these, separated by commas. */
  readonly phase?: string;
  /** Any of these, separated by commas. */
  readonly reason?: string;
  readonly service?: string;
  /** Name of the bucket at the provider, with `service`. */
  readonly bucket?: string;
  /** `*` matches any text. */
  readonly key?: string;
  /** ID of the token that created the job. */
  readonly token?: string;
  /** RFC 3339; inclusive. */
  readonly finishedAfter?: string;
  /** RFC 3339; exclusive. */
  readonly finishedBefore?: string;
}

/** Path of the list of a project, or of one job by its id, with the query if there is one. */
export function historyPath(project: string, id?: string): string {
  return `/history/projects/${encodeURIComponent(project)}/jobs${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
}

/** Code and message of a failed request. */
export const HISTORY_ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'object', required: ['code', 'message'], properties: { code: TEXT, message: TEXT } },
  },
} as const satisfies JsonSchema;
