import { zipJobName } from '#crds/api-group.ts';
import { inBatches } from '#runtime/collections/in-batches.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { isHistoryAway, readHistory } from '../history/history-away.ts';
import type { History } from '../history/history-reader.ts';
import { historyRow } from '../history/history-row.ts';
import { projectUidOf } from '../history/project-uid.ts';
import { READ_HISTORY } from '../history/read-history.ts';
import { PageError, type PageRequest, type PageResponse, type Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { UID_INDEX } from '../live/caches.ts';
import { type ListedJob, toListedJob } from '../live/listed-job.ts';
import { FORMAT } from '../ui/format.ts';
import type { Question } from '../user/access.ts';
import { SEE_PROJECT, type VisibleProject, visibleProjects } from '../user/visible-projects.ts';
import { NAME } from './find-job.ts';
import { type JobRow, jobRow } from './job-row.ts';
import { LIST_JOBS } from './list-jobs-right.ts';
import { scanJobs } from './scan-jobs.ts';
import { MAX_STARS, readSearchText, type SearchText, starsIn } from './search-text.ts';

/** Each costs a few requests to the API server and a search in the database, and a user may see thousands of projects. */
const MOST_HISTORIES = 100;
/** Projects that are asked for, and histories that are searched, at the same time. */
const AT_A_TIME = 8;
/** More matches are not listed. */
const MOST_FOUND = 50;
/** Jobs of the cluster that are read for one search by key or by the start of an ID. */
const MOST_READS = 100_000;
const MAX_TEXT = 1_024;
/** What the page of a job needs. */
const READ_JOB: readonly Question[] = [SEE_PROJECT, { verb: 'get', resource: 'zipjobs' }];

/** Why the history was not searched. */
const NO_HISTORY =
  'this installation has no history. Finished jobs are deleted after their retention period.';
const NO_PATTERN = 'open a project to search its history for keys with *.';

type Deps = Pick<PageDeps, 'caches' | 'history' | 'jobs' | 'takeSearch' | 'config'>;

interface Wanted {
  readonly text: string;
  readonly search: SearchText;
  /** Of a ZipJob; undefined for a text that is none. */
  readonly name: string | undefined;
}

interface Found {
  readonly namespace: string;
  /** Of the project. */
  readonly title: string;
  readonly row: JobRow;
  /** What the time of the row is. */
  readonly time: 'created' | 'finished';
}

function wantedOf(text: string): Wanted {
  const search = readSearchText(text);
  const lower = text.toLowerCase();
  const name = search.kind === 'id' ? zipJobName(search.id) : NAME.test(lower) ? lower : undefined;
  return { text, search, name };
}

async function mayAll(
  { user }: PageRequest,
  namespace: string,
  questions: readonly Question[],
): Promise<boolean> {
  const verdicts = await Promise.all(questions.map((question) => user.may(namespace, question)));
  return verdicts.every(({ allowed }) => allowed);
}

function foundIn({ namespace, title }: VisibleProject, row: JobRow, time: Found['time'] = 'created'): Found {
  return { namespace, title, row, time };
}

/** The job in a project with this name, or with this uid, which is the ID of a job that the API did not create. */
function jobIn(
  { caches: { zipJobs } }: Deps,
  { name, search }: Wanted,
): (namespace: string) => ListedJob | undefined {
  return (namespace) => {
    const named = name === undefined ? undefined : zipJobs.get(`${namespace}/${name}`);
    return named ?? (search.kind === 'id' ? zipJobs.byIndex(UID_INDEX, namespace, search.id)[0] : undefined);
  };
}

/** The jobs in the cache with this name or ID, of projects whose jobs the user may read. */
async function namedInCluster(
  deps: Deps,
  request: PageRequest,
  { projects, ...wanted }: Wanted & { readonly projects: readonly VisibleProject[] },
): Promise<readonly Found[]> {
  const jobOf = jobIn(deps, wanted);
  const found = await Promise.all(
    projects.map(async (project) => {
      const job = jobOf(project.namespace);
      const isFound = job !== undefined && (await mayAll(request, project.namespace, READ_JOB));
      return isFound ? [foundIn(project, jobRow(job, request.now))] : [];
    }),
  );
  return found.flat();
}

interface ScannedCluster {
  readonly found: readonly Found[];
  /** Not every job was read. */
  readonly isCut: boolean;
}

/** The jobs in the cache with this key or start of an ID, of projects whose jobs the user may list. */
async function scanCluster(
  deps: Deps,
  request: PageRequest,
  { text, search, projects }: Wanted & { readonly projects: readonly VisibleProject[] },
): Promise<ScannedCluster> {
  if (search.kind === 'id') return { found: [], isCut: false };
  const found: Found[] = [];
  let reads = 0;
  for (const project of projects) {
    const { namespace } = project;
    const limits = { most: MOST_FOUND + 1 - found.length, mostReads: MOST_READS - reads };
    if (limits.most <= 0 || limits.mostReads <= 0) return { found, isCut: true };
    const scanned = await scanJobs(deps, namespace, { text, wanted: search, ...limits });
    reads += scanned.reads;
    if (scanned.jobs.length > 0 && (await mayAll(request, namespace, [SEE_PROJECT, ...LIST_JOBS])))
      found.push(...scanned.jobs.map((job) => foundIn(project, jobRow(job, request.now))));
  }
  return { found, isCut: reads >= MOST_READS };
}

/** Undefined for a project whose jobs the user may not list, or that was deleted meanwhile. */
async function historyUid(request: PageRequest, namespace: string): Promise<string | undefined> {
  if (!(await mayAll(request, namespace, [SEE_PROJECT, ...READ_HISTORY]))) return undefined;
  try {
    return await projectUidOf({ ...request, namespace });
  } catch (error) {
    if (error instanceof PageError && error.status === 404) return undefined;
    throw error;
  }
}

interface SearchedHistories {
  readonly found: readonly Found[];
  /** How many were searched. */
  readonly searched: number;
}

type HistoryDeps = Pick<Deps, 'config'> & { readonly history: History };

/** The filters that together select what was asked for. Undefined for a pattern, which no index has. */
function filtersOf({ text, search }: Wanted): readonly Pick<JobFilter, 'key' | 'idPrefix'>[] | undefined {
  if (search.kind === 'id-prefix') return [{ idPrefix: search.prefix }, { key: text }];
  return text.includes('*') ? undefined : [{ key: text }];
}

async function inHistory(
  { history, config }: HistoryDeps,
  { now }: PageRequest,
  {
    projectUid,
    project,
    ...wanted
  }: Wanted & { readonly projectUid: string; readonly project: VisibleProject },
): Promise<readonly Found[]> {
  const { search } = wanted;
  if (search.kind === 'id') {
    const { id } = search;
    const job = await readHistory(config.workTimeoutMs, (signal) =>
      history.readJob({ projectUid, id }, signal),
    );
    const href = FORMAT.path('projects', project.namespace, 'jobs', id);
    return job === undefined ? [] : [foundIn(project, { ...jobRow(toListedJob(job), now), href })];
  }
  const pages = await Promise.all(
    (filtersOf(wanted) ?? []).map((filter) =>
      readHistory(config.workTimeoutMs, (signal) =>
        history.listJobs({ projectUid, ...filter }, { limit: MOST_FOUND, signal }),
      ),
    ),
  );
  return pages.flatMap(({ jobs }) => jobs.map((job) => foundIn(project, historyRow(job), 'finished')));
}

/**
 * Asks the API server for all projects first, because a slow history would use up the time for its responses.
 * @throws AppError HistoryUnavailable
 */
async function inHistories(
  deps: HistoryDeps,
  request: PageRequest,
  { projects, ...wanted }: Wanted & { readonly projects: readonly VisibleProject[] },
): Promise<SearchedHistories> {
  const known = await inBatches(projects, AT_A_TIME, async (project) => ({
    project,
    projectUid: await historyUid(request, project.namespace),
  }));
  const readable = known.flatMap(({ project, projectUid }) =>
    projectUid === undefined ? [] : [{ project, projectUid }],
  );
  const enough = wanted.search.kind === 'id' ? 1 : MOST_FOUND;
  const found: Found[] = [];
  let searched = 0;
  for (let start = 0; start < readable.length && found.length < enough; start += AT_A_TIME) {
    const batch = readable.slice(start, start + AT_A_TIME);
    const results = await Promise.all(batch.map((one) => inHistory(deps, request, { ...wanted, ...one })));
    found.push(...results.flat());
    searched += batch.length;
  }
  return { found, searched };
}

/** A finished job may be in the cluster and in the history. */
function withoutRepeats(found: readonly Found[]): readonly Found[] {
  const byJob = new Map<string, Found>();
  for (const one of found) {
    const job = `${one.namespace}/${one.row.id}`;
    if (!byJob.has(job)) byJob.set(job, one);
  }
  return [...byJob.values()];
}

interface Searched {
  readonly found: readonly Found[];
  readonly projects: readonly VisibleProject[];
  readonly isCut: boolean;
  /** Why the history was not searched; otherwise empty. */
  readonly notSearched: string;
  /** How many histories were searched. */
  readonly searched?: number;
}

function responseOf(given: string, { found, isCut, ...searched }: Searched): PageResponse {
  const all = withoutRepeats(found);
  const [first] = all;
  if (first !== undefined && all.length === 1 && !isCut) return { kind: 'go', to: first.row.href };
  const shown = all.slice(0, MOST_FOUND);
  return {
    kind: 'page',
    view: '/jobs/job-search',
    title: first === undefined ? 'Job not found' : 'Jobs found',
    status: first === undefined ? 404 : 200,
    data: {
      given,
      found: shown,
      isCut: isCut || all.length > shown.length,
      most: MOST_HISTORIES,
      mostReads: MOST_READS,
      ...searched,
    },
  };
}

const AWAY = 'the history database does not respond. Try again in a moment.';

function awayError(given: string): PageError {
  return new PageError(
    503,
    'The history is not available',
    `Job ${given} is not in the cluster, and the history database does not respond. Try again in a moment.`,
  );
}

async function searchAll(
  deps: Deps,
  request: PageRequest,
  given: Wanted & { readonly projects: readonly VisibleProject[] },
): Promise<Searched> {
  const { history, config } = deps;
  const { projects, search } = given;
  using _place = deps.takeSearch(request.user.name);
  const cluster = await scanCluster(deps, request, given);
  if (history === undefined) return { ...cluster, projects, notSearched: NO_HISTORY };
  if (search.kind !== 'id' && filtersOf(given) === undefined)
    return { ...cluster, projects, notSearched: NO_PATTERN };
  try {
    const first = projects.slice(0, MOST_HISTORIES);
    const { found, searched } = await inHistories({ history, config }, request, {
      ...given,
      projects: first,
    });
    return { ...cluster, found: [...cluster.found, ...found], projects, notSearched: '', searched };
  } catch (error) {
    if (!isHistoryAway(error)) throw error;
    // The history could have the job.
    if (cluster.found.length === 0) throw awayError(given.text);
    return { ...cluster, projects, notSearched: AWAY };
  }
}

async function find(deps: Deps, request: PageRequest): Promise<PageResponse> {
  const text = (request.query.get('q') ?? request.query.get('id') ?? '').trim();
  if (text === '' || text.length > MAX_TEXT || text.includes('\0'))
    throw new PageError(422, 'Nothing to find', 'Enter the ID, the name or the key of a job.');
  if (starsIn(text) > MAX_STARS)
    throw new PageError(422, 'Too many stars', `Use * at most ${MAX_STARS} times.`);
  const projects = await visibleProjects(deps.caches.zipProjects, request.user, { isMenu: true });
  const wanted = { ...wantedOf(text), projects };
  const named = await namedInCluster(deps, request, wanted);
  if (named.length > 0) return responseOf(text, { found: named, projects, isCut: false, notSearched: '' });
  return responseOf(text, await searchAll(deps, request, wanted));
}

/**
 * Finds jobs in every project that the user can see: by ID, by at least six characters of its start, by the name of a ZipJob or
 * by key. Redirects to the page of the only one. Older links have the parameter `id`.
 */
export function createFindJob(deps: Deps): readonly Route[] {
  return [{ method: 'GET', path: '/find', handle: (request) => find(deps, request) }];
}
