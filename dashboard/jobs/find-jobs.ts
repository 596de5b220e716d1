import { zipJobName } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import { isFinished } from '#crds/zip-job.ts';
import { zipJobId } from '#crds/zip-job-facts.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import type { JobOrder, Place } from '../live/job-order.ts';
import { failureReason, type ListedJob, reasonOf } from '../live/listed-job.ts';
import { phaseOf } from './job-progress.ts';
import {
  bucketText,
  isNarrowed,
  type JobQuery,
  minuteMs,
  periodStartMs,
  type SortColumn,
  valuesOf,
} from './job-query.ts';
import { matchesPattern } from './search-text.ts';

export const JOBS_ON_A_PAGE = 25;

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** How many match. */
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

export interface JobSource {
  readonly order: Pick<JobOrder, 'size' | 'stretch' | 'newestFirst' | 'countAfter'>;
  readonly zipJobs: Pick<Reflector<ListedJob>, 'get'>;
}

export interface WantedJobs {
  readonly namespace: string;
  readonly query: JobQuery;
  readonly now: Date;
}

/** The latest of some times, in milliseconds; undefined for none. */
function latest(...times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((ms) => ms !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
}

/** First creation time that matches, RFC 3339; `''` for any. */
function oldestOf({ query, now }: WantedJobs): string {
  const startMs = latest(periodStartMs(query.within, now), minuteMs(query.from));
  return startMs === undefined ? '' : rfc3339(new Date(startMs));
}

/** First creation time that is too late, RFC 3339; undefined for none. */
function endOf({ query }: WantedJobs): string | undefined {
  const ms = minuteMs(query.to);
  return ms === undefined ? undefined : rfc3339(new Date(ms));
}

type Matches = (job: ListedJob) => boolean;

function isCreatedIn(wanted: WantedJobs): Matches {
  const [oldest, end] = [oldestOf(wanted), endOf(wanted)];
  return ({ metadata: { creationTimestamp: at = '' } }) => at >= oldest && (end === undefined || at < end);
}

/** No unfinished job. */
function isFinishedIn({ query, now }: WantedJobs): Matches {
  const startMs =
    latest(periodStartMs(query.finishedWithin, now), minuteMs(query.finishedFrom)) ??
    Number.NEGATIVE_INFINITY;
  const endMs = minuteMs(query.finishedTo) ?? Number.POSITIVE_INFINITY;
  return ({ status: { finishedAt } }) => {
    const ms = Date.parse(finishedAt ?? '');
    return ms >= startMs && ms < endMs;
  };
}

function isOfState(states: readonly string[]): Matches {
  return (job) => states.includes(phaseOf(job)) || (states.includes('unfinished') && !isFinished(job));
}

/** Part of a name, ID or key; with `*` a whole key. Case-insensitive. */
function hasText(text: string): Matches {
  const wanted = text.toLowerCase();
  if (wanted.includes('*')) return ({ spec }) => matchesPattern(wanted, spec.key.toLowerCase());
  return (job) =>
    [job.metadata.name, zipJobId(job), job.spec.key.toLowerCase()].some((one) => one.includes(wanted));
}

/** The reason in the list, or that in the figures, which also name reasons that only repeat the state. */
function hasReason(reasons: readonly string[]): Matches {
  return (job) =>
    reasons.includes(reasonOf(job)) || (phaseOf(job) === 'Failed' && reasons.includes(failureReason(job)));
}

/** Each is a name, or the start of an ID. */
function isOneOf(ids: readonly string[]): Matches {
  return (job) => {
    const { name } = job.metadata;
    return ids.some((id) => name === id || name.startsWith(zipJobName(id)));
  };
}

/** Whether a job matches all filters. */
export function matcherOf(wanted: WantedJobs): Matches {
  const { text, state, reason, bucket, token, ids, ...query } = wanted.query;
  const isFinishedTime = query.finishedWithin + query.finishedFrom + query.finishedTo !== '';
  const tests: readonly Matches[] = [
    isCreatedIn(wanted),
    ...(state === '' ? [] : [isOfState(valuesOf(state))]),
    ...(reason === '' ? [] : [hasReason(valuesOf(reason))]),
    ...(bucket === '' ? [] : [(job: ListedJob) => bucketText(job.spec.bucketRef.name) === bucket]),
    ...(token === '' ? [] : [(job: ListedJob) => job.createdBy === token]),
    ...(isFinishedTime ? [isFinishedIn(wanted)] : []),
    ...(text === '' ? [] : [hasText(text)]),
    ...(ids === '' ? [] : [isOneOf(valuesOf(ids))]),
  ];
  return (job) => tests.every((test) => test(job));
}

/** The matching jobs, newest first. Reads each job of the period once. */
export function* matchingJobs(
  { order, zipJobs }: JobSource,
  wanted: WantedJobs,
): IterableIterator<ListedJob> {
  const { namespace } = wanted;
  const matches = matcherOf(wanted);
  for (const name of order.newestFirst(namespace, oldestOf(wanted))) {
    const job = zipJobs.get(`${namespace}/${name}`);
    if (job !== undefined && matches(job)) yield job;
  }
}

function clamp(page: number, total: number): Pick<JobPage, 'page' | 'pages'> {
  const pages = Math.max(1, Math.ceil(total / JOBS_ON_A_PAGE));
  return { page: Math.min(page, pages), pages };
}

/** Milliseconds; -1 for a job that never ran. */
function ranMs({ status: { startedAt, finishedAt } }: ListedJob, nowMs: number): number {
  if (startedAt === undefined) return -1;
  return (finishedAt === undefined ? nowMs : Date.parse(finishedAt)) - Date.parse(startedAt);
}

const COLUMN_VALUES: Readonly<
  Record<Exclude<SortColumn, 'created'>, (job: ListedJob, nowMs: number) => number | string>
> = {
  key: ({ spec }) => spec.key,
  duration: ranMs,
  files: ({ files }) => files,
  size: ({ status: { result, progress } }) => result?.bytes ?? progress?.bytesRead ?? 0,
};

/** Jobs that are newest first, by the column of the query. Those with equal values stay newest first. */
function sorted(jobs: readonly ListedJob[], { query: { sort }, now }: WantedJobs): readonly ListedJob[] {
  if (sort === '') return jobs;
  const column = sort.replace('-', '') as SortColumn;
  if (column === 'created') return jobs.toReversed();
  const valueOf = COLUMN_VALUES[column];
  const sign = sort.startsWith('-') ? -1 : 1;
  return jobs
    .map((job) => ({ job, value: valueOf(job, now.getTime()) }))
    .toSorted((a, b) => (a.value === b.value ? 0 : a.value < b.value ? -sign : sign))
    .map(({ job }) => job);
}

/** Without a filter, reads only the jobs of the page. */
function pageOfAll({ order, zipJobs }: JobSource, { namespace, query }: WantedJobs): JobPage {
  const total = order.size(namespace);
  const at = clamp(query.page, total);
  const first = (at.page - 1) * JOBS_ON_A_PAGE;
  const isOldestFirst = query.sort === 'created';
  const count = Math.min(JOBS_ON_A_PAGE, total - first);
  const stretch = order.stretch(namespace, isOldestFirst ? total - first - count : first, count);
  const names = isOldestFirst ? stretch.toReversed() : stretch;
  return { jobs: names.flatMap((name) => zipJobs.get(`${namespace}/${name}`) ?? []), total, ...at };
}

function pageOfMatching(source: JobSource, wanted: WantedJobs): JobPage {
  const found = sorted([...matchingJobs(source, wanted)], wanted);
  const at = clamp(wanted.query.page, found.length);
  const first = (at.page - 1) * JOBS_ON_A_PAGE;
  return { jobs: found.slice(first, first + JOBS_ON_A_PAGE), total: found.length, ...at };
}

/** Whether a page reads every job of the project, or of the period. */
export function readsAll(query: JobQuery): boolean {
  return isNarrowed(query) || !['', 'created'].includes(query.sort);
}

/** One page of the matching jobs; the last page when the requested one is past the end. */
export function findJobs(source: JobSource, wanted: WantedJobs): JobPage {
  return readsAll(wanted.query) ? pageOfMatching(source, wanted) : pageOfAll(source, wanted);
}

export interface JobCounts {
  /** How many match. */
  readonly total: number;
  /** How many of them were created after the place. */
  readonly newer: number;
}

/** How many jobs match, and how many of them a page does not show because it was opened before. */
export function countJobs(source: JobSource, wanted: WantedJobs, place: Place): JobCounts {
  const { namespace, query } = wanted;
  if (!isNarrowed(query))
    return { total: source.order.size(namespace), newer: source.order.countAfter(namespace, place) };
  let [total, newer] = [0, 0];
  for (const { metadata } of matchingJobs(source, wanted)) {
    const { name, creationTimestamp: at = '' } = metadata;
    total += 1;
    if (at > place.at || (at === place.at && name > place.name)) newer += 1;
  }
  return { total, newer };
}
