/** The requests that the API refused, and the interface over which the dashboard reads them from each of its processes. */
import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';

/** Of each project. */
export const MAX_REFUSED = 1_000;
/** Request IDs of one entry: the newest. */
export const MAX_REQUEST_IDS = 10;
/** Equal refusals of this time are one entry, so that a client that repeats its mistake displaces few others. */
export const SAME_ENTRY_MS = 10 * 60_000;
/** How long a refused request is kept. */
export const REFUSED_TTL_MS = 7 * 24 * 3_600_000;

export const REFUSED_PATH = '/refused-requests';
/** Audience of the token with which the dashboard reads them. The API server accepts no such token. */
export const REFUSED_AUDIENCE = 'zipjobs-api';

const TIME_MS = { type: 'integer', minimum: 0 } as const;

export const REFUSED_ENTRY_SCHEMA = {
  type: 'object',
  required: [
    'replica',
    'requestIds',
    'firstAtMs',
    'lastAtMs',
    'count',
    'token',
    'method',
    'route',
    'status',
    'code',
    'param',
  ],
  properties: {
    /** The API process that refused them. */
    replica: { type: 'string', maxLength: 64 },
    /** The newest ones, newest first. */
    requestIds: { type: 'array', items: { type: 'string', maxLength: 64 } },
    firstAtMs: TIME_MS,
    lastAtMs: TIME_MS,
    /** Equal requests. */
    count: { type: 'integer', minimum: 1 },
    /** Mask of the access token. */
    token: { type: 'string', maxLength: 16 },
    method: { type: 'string', maxLength: 16 },
    /** Template of the path. */
    route: { type: 'string', maxLength: 256 },
    status: { type: 'integer', minimum: 400 },
    code: { type: 'string', maxLength: 64 },
    /** Path of the field in the newest request, such as `urls[3].url`; empty for none. */
    param: { type: 'string', maxLength: 64 },
  },
} as const satisfies JsonSchema;

/** Equal requests that one API process refused within SAME_ENTRY_MS. Has no value and no name from the body. */
export type RefusedEntry = FromSchema<typeof REFUSED_ENTRY_SCHEMA>;

/** Response of an API process. */
export const REFUSED_LIST_SCHEMA = {
  type: 'object',
  required: ['entries', 'startedAtMs', 'sharing', 'meanings', 'helpUrl'],
  properties: {
    entries: { type: 'array', items: REFUSED_ENTRY_SCHEMA },
    /** When the process started. */
    startedAtMs: TIME_MS,
    /** `none`: without Redis, entries end with their process. `away`: Redis did not respond, so those of other processes may be missing. */
    sharing: { enum: ['redis', 'none', 'away'] },
    /** What each code means, and what the caller can do. */
    meanings: { type: 'object', additionalProperties: { type: 'string', maxLength: 1_000 } },
    /** The page that explains the codes. */
    helpUrl: { type: 'string', maxLength: 2_000 },
  },
} as const satisfies JsonSchema;
export type RefusedList = FromSchema<typeof REFUSED_LIST_SCHEMA>;

type Facts = Pick<
  RefusedEntry,
  'token' | 'method' | 'route' | 'status' | 'code' | 'param' | 'firstAtMs' | 'lastAtMs'
>;

/** Refusals with the same key are one entry. Of a path in the body, only the field counts: a list has thousands of entries. */
export function entryKey({ token, method, route, status, code, param, firstAtMs }: Facts): string {
  const [field = ''] = /^\w*/.exec(param) ?? [];
  return [token, method, route, status, code, field, Math.floor(firstAtMs / SAME_ENTRY_MS)].join(' ');
}

/** Fields whose inner names are those of the API. All other inner names are chosen by callers. */
const SHOWN_PATH = /^(?:urls\[\d{1,6}\](?:\.[a-z0-9_]{1,32})?|object\.[a-z_]{1,32}|[a-z_]{1,32})/;

/** The part of a path in the body that contains no name that a caller chose; empty if there is none. */
export function shownPath(path: string): string {
  return SHOWN_PATH.exec(path)?.[0] ?? '';
}

function newerIds(newer: RefusedEntry, older: RefusedEntry): readonly string[] {
  return [...new Set([...newer.requestIds, ...older.requestIds])].slice(0, MAX_REQUEST_IDS);
}

function joined(one: RefusedEntry, other: RefusedEntry): RefusedEntry {
  const [newer, older] = one.lastAtMs >= other.lastAtMs ? [one, other] : [other, one];
  return {
    ...newer,
    requestIds: newerIds(newer, older),
    firstAtMs: Math.min(one.firstAtMs, other.firstAtMs),
    count: one.count + other.count,
  };
}

/** What several processes report, newest first: the latest state of each entry, and the sum over processes. */
export function mergeEntries(entries: readonly RefusedEntry[]): readonly RefusedEntry[] {
  const latest = new Map<string, RefusedEntry>();
  for (const entry of entries) {
    const key = `${entry.replica} ${entryKey(entry)}`;
    const known = latest.get(key);
    if (known === undefined || known.count < entry.count) latest.set(key, entry);
  }
  const merged = new Map<string, RefusedEntry>();
  for (const entry of latest.values()) {
    const key = entryKey(entry);
    const known = merged.get(key);
    merged.set(key, known === undefined ? entry : joined(known, entry));
  }
  return [...merged.values()].sort((a, b) => b.lastAtMs - a.lastAtMs).slice(0, MAX_REFUSED);
}
