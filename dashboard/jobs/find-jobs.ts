import { rfc3339 } from '#crds/conditions.ts';
import { isFinished } from '#crds/zip-job.ts';
import { zipJobId } from '#crds/zip-job-facts.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import type { JobOrder, Place } from '../live/job-order.ts';
import { failureReason, type ListedJob, reasonOf } from '../live/listed-job.ts';
import { phaseOf } from './job-progress.ts';
import { isNarrowed, type JobQuery, minuteMs, PERIODS } from './job-query.ts';

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

function isOfState(job: ListedJob, state: JobQuery['state']): boolean {
  return state === '' || (state === 'unfinished' ? !isFinished(job) : phaseOf(job) === state);
}

/** First creation time that matches, RFC 3339; `''` for any. */
function oldestOf({ query, now }: WantedJobs): string {
  const period = PERIODS.find(({ value }) => value === query.within);
  const starts = [
    ...(period === undefined ? [] : [now.getTime() - period.ms]),
    minuteMs(query.from) ?? [],
  ].flat();
  return starts.length === 0 ? '' : rfc3339(new Date(Math.max(...starts)));
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
function isFinishedIn({ finishedFrom, finishedTo }: JobQuery): Matches {
  const [startMs = Number.NEGATIVE_INFINITY, endMs = Number.POSITIVE_INFINITY] = [
    minuteMs(finishedFrom),
    minuteMs(finishedTo),
  ];
  return ({ status: { finishedAt } }) => {
    const ms = Date.parse(finishedAt ?? '');
    return ms >= startMs && ms < endMs;
  };
}

/** Names, IDs and keys, case-insensitively. */
function contains(text: string): Matches {
  const needle = text.toLowerCase();
  return (job) =>
    [job.metadata.name, zipJobId(job), job.spec.key.toLowerCase()].some((one) => one.includes(needle));
}

/** The reason in the list, or that in the figures, which also name reasons that only repeat the state. */
function hasReason(reason: string): Matches {
  return (job) => reasonOf(job) === reason || (phaseOf(job) === 'Failed' && failureReason(job) === reason);
}

/** Whether a job matches all filters. */
export function matcherOf(wanted: WantedJobs): Matches {
  const { text, state, reason, bucket, token, finishedFrom, finishedTo } = wanted.query;
  const tests: readonly Matches[] = [
    isCreatedIn(wanted),
    (job) => isOfState(job, state),
    ...(reason === '' ? [] : [hasReason(reason)]),
    ...(bucket === '' ? [] : [(job: ListedJob) => job.spec.bucketRef.name === bucket]),
    ...(token === '' ? [] : [(job: ListedJob) => job.createdBy === token]),
    ...(finishedFrom === '' && finishedTo === '' ? [] : [isFinishedIn(wanted.query)]),
    ...(text === '' ? [] : [contains(text)]),
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

/** Without a filter, reads only the jobs of the page. */
function pageOfAll({ order, zipJobs }: JobSource, { namespace, query }: WantedJobs): JobPage {
  const total = order.size(namespace);
  const at = clamp(query.page, total);
  const names = order.stretch(namespace, (at.page - 1) * JOBS_ON_A_PAGE, JOBS_ON_A_PAGE);
  return { jobs: names.flatMap((name) => zipJobs.get(`${namespace}/${name}`) ?? []), total, ...at };
}

function pageOfMatching(source: JobSource, wanted: WantedJobs): JobPage {
  const found = [...matchingJobs(source, wanted)];
  const at = clamp(wanted.query.page, found.length);
  const first = (at.page - 1) * JOBS_ON_A_PAGE;
  return { jobs: found.slice(first, first + JOBS_ON_A_PAGE), total: found.length, ...at };
}

/** One page of the matching jobs, newest first; the last page when the requested one is past the end. */
export function findJobs(source: JobSource, wanted: WantedJobs): JobPage {
  return isNarrowed(wanted.query) ? pageOfMatching(source, wanted) : pageOfAll(source, wanted);
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
