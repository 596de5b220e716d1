/** Searches a list for matching jobs, newest first, in statements that each read a limited number of jobs. */

import { defined } from '../collections/optional.ts';
import type { Clock } from '../time/clock.ts';
import type { HistoryDatabase } from './database.ts';
import type { JobPlace } from './job-cursor.ts';
import { type JobFilter, planSearch } from './job-filter.ts';
import { type Scanned, scanJobs } from './search-statement.ts';

export interface Search {
  readonly database: Pick<HistoryDatabase, 'query'>;
  readonly clock: Clock;
  readonly filter: JobFilter;
  readonly from: JobPlace;
  /** Most jobs that the search needs. */
  readonly wanted: number;
  /** The monotonic time at which the caller wants to end the search. */
  readonly endMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Of the first scan, because it is enough for most filters, and the least of the others. */
const FEW_ROWS = 200;
const MAX_ROWS = 20_000;
const FAST_MS = 40;
const SLOW_MS = 120;

/**
 * How many rows the next scan may read, so that one takes about a tenth of a second on a fast server and on a slow one, and half of
 * what the search has left: it may take twice as long as the one before.
 */
function nextRows(rows: number, elapsedMs: number, leftMs: number): number {
  const inTime = Math.floor((rows * leftMs) / 2 / Math.max(1, elapsedMs));
  const wanted = elapsedMs < FAST_MS ? rows * 4 : elapsedMs > SLOW_MS ? Math.floor(rows / 4) : rows;
  return Math.max(FEW_ROWS, Math.min(MAX_ROWS, wanted, inTime));
}

/** One statement, if an index has the jobs of the filter. Else as many as the caller takes. */
export async function* searchJobs(search: Search): AsyncGenerator<Scanned, void, undefined> {
  const { database, clock, filter, wanted, endMs = Number.POSITIVE_INFINITY, signal } = search;
  const { read, match, isIndexed } = planSearch(filter);
  const scan = { read, match, ...defined({ finishedAfter: filter.finishedAfter }), wanted, signal };
  let rows = isIndexed ? wanted : FEW_ROWS;
  for (let from: JobPlace | undefined = search.from; from !== undefined; ) {
    const startMs = clock.monotonicMs();
    const scanned: Scanned = await scanJobs(database, { ...scan, from, rows });
    const nowMs = clock.monotonicMs();
    rows = nextRows(rows, nowMs - startMs, endMs - nowMs);
    from = scanned.place;
    yield scanned;
  }
}
