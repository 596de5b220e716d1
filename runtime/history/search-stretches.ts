import type { HistoryDatabase } from './database.ts';
import { type JobPlace, placeAt } from './job-cursor.ts';
import { type JobFilter, sharedConditions } from './job-filter.ts';
import { utcText } from './job-select.ts';
import type { Stretch } from './scan-jobs.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Each is four times as long, because a project with few jobs needs all of them. */
const STRETCH_DAYS = [2, 8, 32, 128];
/** Each is planned by itself, which takes a fraction of a millisecond. */
const MOST_PARTS = 16;
/** After the last job, for the first page. */
export const NEWEST: JobPlace = placeAt('infinity');

export interface Search {
  readonly database: Pick<HistoryDatabase, 'query'>;
  readonly filter: JobFilter;
  readonly from: JobPlace;
  /** Most jobs that the search needs. */
  readonly wanted: number;
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
}

function isoOf(timeMs: number): string {
  return new Date(Math.max(0, timeMs)).toISOString();
}

function isLater(a: string, b: string): boolean {
  return Date.parse(a) > Date.parse(b);
}

/** Calculated here, because PostgreSQL calculates `date_trunc` only after it has planned every partition. */
function startOfHour(time: string): string {
  return isoOf(Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS);
}

function laterOf(a: string, b: string): string {
  return isLater(a, b) ? a : b;
}

/** Partitions are named by their day (UTC), such as jobs_20261123. */
const OLDEST_DAY = `
SELECT to_date(right(min(relname), 8), 'YYYYMMDD')::text AS day
FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_class ON oid = inhrelid WHERE inhparent = 'zipjobs.jobs'::regclass`;

/** Where the list ends (RFC 3339). */
async function endOf({ database, filter, now, signal }: Search): Promise<string> {
  const [row] = await database.query<{ readonly day: string | null }>({ text: OLDEST_DAY }, signal);
  const oldest = typeof row?.day === 'string' ? `${row.day}T00:00:00Z` : now.toISOString();
  return filter.finishedAfter === undefined ? oldest : laterOf(oldest, filter.finishedAfter.toISOString());
}

/** True if no job of the list is after this place. */
function isEnd({ finishedAt, uid }: JobPlace, end: string): boolean {
  return isLater(end, finishedAt) || (uid === placeAt('').uid && !isLater(finishedAt, end));
}

/** From a place to the end of the list, in growing stretches, so that a page of recent jobs needs few partitions. */
function* stretchesTo(from: JobPlace, end: string): Generator<Stretch, void, undefined> {
  let place = from;
  let timeMs = Date.parse(from.finishedAt);
  for (const days of [...STRETCH_DAYS, Number.POSITIVE_INFINITY]) {
    if (isEnd(place, end)) return;
    timeMs -= days * DAY_MS;
    const to = days === Number.POSITIVE_INFINITY ? end : laterOf(isoOf(timeMs), end);
    yield { from: place, to };
    place = placeAt(to);
  }
}

/** The end of the list is looked up late, because most first pages do not need it. */
async function* growingStretches(search: Search): AsyncGenerator<Stretch, void, undefined> {
  const { filter, from, now } = search;
  let place = from;
  if (from.finishedAt === NEWEST.finishedAt) {
    const to = laterOf(isoOf(now.getTime() - DAY_MS), filter.finishedAfter?.toISOString() ?? isoOf(0));
    yield { from, to };
    place = placeAt(to);
  }
  yield* stretchesTo(place, await endOf(search));
}

interface MatchingHour {
  readonly startMs: number;
  /** Jobs that finished in it with the phases, reasons and bucket of the filter. */
  readonly jobs: number;
}

/** The newest hours of a stretch in which a job of these phases, reasons and bucket finished. */
async function matchingHours(search: Search, { from, to }: Stretch): Promise<readonly MatchingHour[]> {
  const { database, filter, wanted, signal } = search;
  const values: unknown[] = [];
  function add(value: unknown): string {
    return `$${values.push(value)}`;
  }
  const text = `
SELECT ${utcText('hour')} AS hour, sum(jobs)::bigint AS jobs FROM zipjobs.usage_hours
WHERE project_uid = ${add(filter.projectUid)}
  AND hour <= ${add(from.finishedAt)} AND hour >= ${add(startOfHour(to))}
  AND ${sharedConditions(filter, add).join(' AND ')}
GROUP BY zipjobs.usage_hours.hour ORDER BY zipjobs.usage_hours.hour DESC LIMIT ${add(wanted)}`;
  const rows = await database.query<{ readonly hour: string; readonly jobs: number }>(
    { text, values },
    signal,
  );
  return rows.map(({ hour, jobs }) => ({ startMs: Date.parse(hour), jobs }));
}

interface Part extends Stretch {
  readonly jobs: number;
}

/** The parts of a stretch that are in these hours, newest first. Adjacent hours become one part. */
function partsOf({ from, to }: Stretch, hours: readonly MatchingHour[]): readonly Part[] {
  const parts: { startMs: number; readonly endMs: number; jobs: number }[] = [];
  for (const { startMs, jobs } of hours) {
    const last = parts.at(-1);
    if (last?.startMs === startMs + HOUR_MS) {
      last.startMs = startMs;
      last.jobs += jobs;
    } else parts.push({ startMs, endMs: startMs + HOUR_MS, jobs });
  }
  const limitMs = Date.parse(from.finishedAt);
  return parts.map(({ startMs, endMs, jobs }) => ({
    from: endMs > limitMs ? from : placeAt(isoOf(endMs)),
    to: laterOf(isoOf(startMs), to),
    jobs,
  }));
}

/** Parts to read together: no more than have all wanted jobs, so that the first hours of frequent ones are read alone. */
function* groupsOf(parts: readonly Part[], wanted: number): Generator<readonly Stretch[], void, undefined> {
  let group: Part[] = [];
  for (const part of parts) {
    group.push(part);
    const jobs = group.reduce((sum, one) => sum + one.jobs, 0);
    if (group.length < MOST_PARTS && jobs < wanted) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function* matchingParts(
  search: Search,
  stretch: Stretch,
): AsyncGenerator<readonly Stretch[], void, undefined> {
  for (let from: JobPlace | undefined = stretch.from; from !== undefined; ) {
    const rest: Stretch = { from, to: stretch.to };
    const hours = await matchingHours(search, rest);
    yield* groupsOf(partsOf(rest, hours), search.wanted);
    const last = hours.at(-1);
    from = hours.length < search.wanted || last === undefined ? undefined : placeAt(isoOf(last.startMs));
  }
}

function isIndexed({ phases, reasons, bucket }: JobFilter): boolean {
  return phases !== undefined || reasons !== undefined || bucket !== undefined;
}

/**
 * The stretches in which matching jobs may be, newest first, in groups to read together. After the first one, `usage_hours` says in
 * which hours jobs of these phases, reasons and bucket finished, so that a search for rare ones reads nothing else. The table counts
 * every job, in the transaction that stores it.
 */
export async function* searchStretches(search: Search): AsyncGenerator<readonly Stretch[], void, undefined> {
  let isFirst = true;
  for await (const stretch of growingStretches(search)) {
    if (isFirst || !isIndexed(search.filter)) yield [stretch];
    else yield* matchingParts(search, stretch);
    isFirst = false;
  }
}
