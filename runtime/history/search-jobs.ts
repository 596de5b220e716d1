/** Searches a list for matching jobs, newest first, in statements that each read a limited number of jobs. */
import type { Clock } from '../clock.ts';
import { type JobPlace, placeAt } from './job-cursor.ts';
import { hasWholeKey, isNarrow, type JobFilter } from './job-filter.ts';
import { placesOfKey } from './job-places.ts';
import { type PlacedJob, readPlaces, type Scan, type Scanned, type Stretch, scanJobs } from './scan-jobs.ts';
import { NEWEST, type Search, searchStretches } from './search-stretches.ts';

const FIRST_ROWS = 2_000;
const MIN_ROWS = 200;
const MAX_ROWS = 20_000;
const FAST_MS = 40;
const SLOW_MS = 120;
/** Jobs with one key may be in as many partitions, each of which looks up all their times. */
const PLACES = 100;

/**
 * How many rows the next scan may read, so that one takes about a tenth of a second on a fast server and on a slow one, and not much
 * longer than the search has left.
 */
function nextRows(rows: number, elapsedMs: number, leftMs: number): number {
  const inTime = Math.floor((rows * leftMs) / Math.max(1, elapsedMs));
  const wanted = elapsedMs < FAST_MS ? rows * 4 : elapsedMs > SLOW_MS ? Math.floor(rows / 4) : rows;
  return Math.max(MIN_ROWS, Math.min(MAX_ROWS, wanted, inTime));
}

interface Progress {
  readonly found: readonly PlacedJob[];
  /** Every matching job before this place was found. Absent at the end of the list. */
  readonly place?: JobPlace;
}

type KeySearch = Search & { readonly filter: JobFilter & { readonly key: string } };

/** True if the place is newer than this time, so that jobs with places may follow. */
function isNewer({ finishedAt }: JobPlace, since: string): boolean {
  return finishedAt === NEWEST.finishedAt || Date.parse(finishedAt) > Date.parse(since);
}

/** By the hash of the key. Returns where the jobs start that have no places yet, or undefined if all jobs have. */
async function* searchKey(search: KeySearch): AsyncGenerator<Progress, JobPlace | undefined, undefined> {
  const { database, filter, signal } = search;
  const to = filter.finishedAfter?.toISOString() ?? '-infinity';
  for (let from = search.from; ; ) {
    const stretch = { projectUid: filter.projectUid, key: filter.key, from, to, most: PLACES };
    const { places, since } = await placesOfKey(database, stretch, signal);
    const found = await readPlaces(database, { filter, places, signal });
    const last = places.length === PLACES ? places.at(-1) : undefined;
    if (last === undefined) {
      if (since === undefined) {
        yield { found };
        return undefined;
      }
      const rest = isNewer(from, since) ? placeAt(since) : from;
      yield { found, place: rest };
      return rest;
    }
    yield { found, place: last };
    from = last;
  }
}

/** What is left of the parts after a place in one of them. */
function partsAfter(parts: readonly Stretch[], place: JobPlace): readonly Stretch[] {
  const timeMs = Date.parse(place.finishedAt);
  const [part, ...later] = parts.slice(parts.findIndex(({ to }) => Date.parse(to) <= timeMs));
  return part === undefined ? [] : [{ ...part, from: place }, ...later];
}

function rowsOf(parts: readonly Stretch[], { filter, wanted }: Search, rows: number): number {
  if (!isNarrow(filter)) return wanted;
  return parts.length === 1 ? rows : Math.min(rows, FIRST_ROWS);
}

/** Where the scan ended before the end of its parts. */
function stopOf({ found, stoppedAt }: Scanned, wanted: number): JobPlace | undefined {
  return stoppedAt ?? (found.length === wanted ? found.at(-1)?.place : undefined);
}

async function* searchRows(
  search: Search,
  clock: Clock,
  endMs: number,
): AsyncGenerator<Progress, void, undefined> {
  const { database, filter, wanted, signal } = search;
  let rows = FIRST_ROWS;
  for await (const group of searchStretches(search)) {
    let together = group.length;
    for (let left = group; left.length > 0; ) {
      const parts = left.slice(0, together);
      const startMs = clock.monotonicMs();
      const scan: Scan = { filter, parts, rows: rowsOf(parts, search, rows), wanted, signal };
      const scanned: Scanned = await scanJobs(database, scan);
      const nowMs = clock.monotonicMs();
      rows = nextRows(rows, nowMs - startMs, endMs - nowMs);
      const place = stopOf(scanned, wanted);
      left = place === undefined ? left.slice(parts.length) : partsAfter(left, place);
      // The parts have more jobs than one statement returns, so that it read some of them in vain.
      if (scanned.stoppedAt !== undefined) together = Math.ceil(together / 4);
      yield { found: scanned.found, place: place ?? placeAt(parts.at(-1)?.to ?? '') };
    }
  }
}

/** @param endMs the monotonic time at which the caller wants to end the search */
export async function* searchJobs(
  search: Search,
  clock: Clock,
  endMs = Number.POSITIVE_INFINITY,
): AsyncGenerator<Progress, void, undefined> {
  const { filter } = search;
  const from = hasWholeKey(filter) ? yield* searchKey({ ...search, filter }) : search.from;
  if (from !== undefined) yield* searchRows({ ...search, from }, clock, endMs);
}
