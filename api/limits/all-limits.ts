import type { Delay } from './delay.ts';
import { MAX_DELAY_MS } from './request-pace.ts';
import type { Caller, SecondLimits } from './second-limits.ts';

/*
 * What a request with a token is counted against, in the order in which it is checked. The rows with * are in LIMITS below, which the
 * middleware of http/walk-limits.ts checks; the others are checked where something else happens at the same moment. Values in capitals are
 * settings, the others are of the class of the project. A share for which others leave nothing is refused with service_unavailable.
 *
 * |   | limit                      | of             | kind  | value                                                    | code                                                 | where                    |
 * | - | -------------------------- | -------------- | ----- | -------------------------------------------------------- | ---------------------------------------------------- | ------------------------ |
 * |   | invalid tokens per minute  | address        | rate  | AUTH_FAILURES_PER_MINUTE                                 | rate_limit_exceeded                                  | http/rate-limit.ts       |
 * |   | requests per minute        | token, project | rate  | REQUESTS_PER_MINUTE_PER_TOKEN, requestsPerMinute         | rate_limit_exceeded                                  | http/rate-limit.ts       |
 * | * | requests in flight         | project        | share | MAX_REQUESTS_IN_FLIGHT                                   | concurrency_limit_exceeded                           |                          |
 * |   | bytes of bodies in flight  | project        | share | MAX_BODY_BYTES_IN_FLIGHT                                 | concurrency_limit_exceeded                           | http/json-body.ts        |
 * |   | bytes of bodies per second | project        | rate  | UNDELAYED_BODY_BYTES_PER_SECOND                          | none: they wait                                      | http/json-body.ts        |
 * | * | requests per second        | token, project | rate  | UNDELAYED_REQUESTS_PER_SECOND                            | rate_limit_exceeded                                  |                          |
 * | * | files per second           | project        | rate  | filesPerSecond                                           | rate_limit_exceeded                                  |                          |
 * | * | creates per second         | project        | rate  | createsPerSecond                                         | rate_limit_exceeded                                  |                          |
 * | * | creates in flight          | project        | share | 256                                                      | concurrency_limit_exceeded                           |                          |
 * | * | requests that are handled  | project        | total | MAX_ACTIVE_REQUESTS, a quarter each                      | none: they wait                                      |                          |
 * |   | files of large bodies      | project        | rate  | filesPerSecond                                           | rate_limit_exceeded                                  | create/read-request.ts   |
 * |   | stored jobs, bytes, lists  | project        | total | storedJobs, storedBytes, MAX_FILE_LIST_BYTES_PER_PROJECT | stored_jobs_full, stored_bytes_full, file_lists_full | storage-ledger.ts        |
 */

export type Operation = 'create' | 'read';
/** `opened`: its token is valid. `paced`: its body is read. `handled`: it has waited. */
export type Moment = 'opened' | 'paced' | 'handled';

/** Maximum of each, of all projects together. */
export interface InFlightLimits {
  /** Concurrent requests with a valid token. */
  readonly maxRequests: number;
  /** Bytes of request bodies in memory. */
  readonly maxBodyBytes: number;
  /** Concurrent creates. */
  readonly maxCreates: number;
  /** Requests that are handled at the same time; the others wait. */
  readonly maxActive: number;
}

interface Common {
  readonly at: Moment;
  readonly of: readonly Operation[];
}

/** A request waits as long as the slowest of its rates demands; above MAX_DELAY_MS it is refused. */
interface Rate extends Common {
  readonly kind: 'rate';
  readonly limit: Delay['limit'];
  readonly delayMs: (rates: Pick<SecondLimits, 'delaysMs'>, caller: Caller) => number;
}

/** Projects share it fairly, and what exceeds a share is refused. */
interface Share extends Common {
  readonly kind: 'share';
  readonly limit: 'requests' | 'creates';
  readonly max: (limits: InFlightLimits) => number;
}

/** The requests above it wait; projects are served round-robin. */
interface Total extends Common {
  readonly kind: 'total';
  readonly max: (limits: InFlightLimits) => number;
}

const BOTH: readonly Operation[] = ['create', 'read'];
const CREATE: readonly Operation[] = ['create'];

export const LIMITS: readonly (Rate | Share | Total)[] = [
  { at: 'opened', of: BOTH, kind: 'share', limit: 'requests', max: ({ maxRequests }) => maxRequests },
  {
    at: 'paced',
    of: BOTH,
    kind: 'rate',
    limit: 'second',
    delayMs: ({ delaysMs }, caller) => delaysMs.token(caller),
  },
  {
    at: 'paced',
    of: BOTH,
    kind: 'rate',
    limit: 'second',
    delayMs: ({ delaysMs }, caller) => delaysMs.project(caller),
  },
  {
    at: 'paced',
    of: CREATE,
    kind: 'rate',
    limit: 'files',
    delayMs: ({ delaysMs }, caller) => delaysMs.files(caller),
  },
  {
    at: 'paced',
    of: CREATE,
    kind: 'rate',
    limit: 'creates',
    delayMs: ({ delaysMs }, caller) => delaysMs.creates(caller),
  },
  { at: 'handled', of: CREATE, kind: 'share', limit: 'creates', max: ({ maxCreates }) => maxCreates },
  { at: 'handled', of: BOTH, kind: 'total', max: ({ maxActive }) => maxActive },
];

/** The longest delay. Once a rate refuses a request, the next ones do not count it: others share them. */
export function longestDelay(
  rates: Pick<SecondLimits, 'delaysMs'>,
  caller: Caller,
  operation: Operation,
): Delay {
  let longest: Delay = { limit: 'second', ms: 0 };
  for (const row of LIMITS) {
    if (row.kind !== 'rate' || !row.of.includes(operation)) continue;
    const ms = row.delayMs(rates, caller);
    if (ms > longest.ms) longest = { limit: row.limit, ms };
    if (ms > MAX_DELAY_MS) break;
  }
  return longest;
}
