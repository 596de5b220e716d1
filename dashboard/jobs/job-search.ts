import { zipJobName } from '#crds/api-group.ts';
import { isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import { inBatches } from '#runtime/collections/in-batches.ts';
import { isHistoryAway, readHistory } from '../history/history-away.ts';
import type { History } from '../history/history-reader.ts';
import { projectUidOf } from '../history/project-uid.ts';
import { READ_HISTORY } from '../history/read-history.ts';
import { PageError, type PageRequest, type PageResponse, type Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { UID_INDEX } from '../live/caches.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { FORMAT } from '../ui/format.ts';
import type { Question } from '../user/access.ts';
import { SEE_PROJECT, type VisibleProject, visibleProjects } from '../user/visible-projects.ts';
import { NAME } from './find-job.ts';

/** Each costs a few requests to the API server and a search in the database, and a user may see thousands of projects. */
const MOST_HISTORIES = 100;
/** Projects that are asked for, and histories that are searched, at the same time. */
const AT_A_TIME = 8;
/** What the page of a job needs. */
const READ_JOB: readonly Question[] = [SEE_PROJECT, { verb: 'get', resource: 'zipjobs' }];

/** Why the history was not searched. */
const NO_HISTORY =
  'this installation has no history. Finished jobs are deleted after their retention period.';
const NO_ID = 'it can be searched only by job ID.';

type Deps = Pick<PageDeps, 'caches' | 'history' | 'takeSearch' | 'config'>;

interface Wanted {
  readonly name: string;
  /** Undefined for a job that the API did not create: only the cluster can be searched for it. */
  readonly uuid: string | undefined;
}

interface Found {
  readonly namespace: string;
  readonly title: string;
  readonly href: string;
}

function wantedOf(given: string): Wanted | undefined {
  const name = isUuid(given) ? zipJobName(given) : given;
  return NAME.test(name) ? { name, uuid: uuidOfName(name) } : undefined;
}

async function mayAll(
  { user }: PageRequest,
  namespace: string,
  questions: readonly Question[],
): Promise<boolean> {
  const verdicts = await Promise.all(questions.map((question) => user.may(namespace, question)));
  return verdicts.every(({ allowed }) => allowed);
}

function foundIn({ namespace, title }: VisibleProject, job: string): Found {
  return {
    namespace,
    title,
    href: FORMAT.path('projects', namespace, 'jobs', job),
  };
}

/** Of the job in a project with this name, or with this uid, which is the ID of a job that the API did not create. */
function nameIn(
  { caches: { zipJobs } }: Deps,
  { name, uuid }: Wanted,
): (namespace: string) => string | undefined {
  function withUid(namespace: string): readonly ListedJob[] {
    return uuid === undefined ? [] : zipJobs.byIndex(UID_INDEX, namespace, uuid);
  }
  return (namespace) => (zipJobs.get(`${namespace}/${name}`) ?? withUid(namespace)[0])?.metadata.name;
}

/** The jobs in the cache, of projects whose jobs the user may read. */
async function inCluster(
  deps: Deps,
  request: PageRequest,
  { projects, ...wanted }: Wanted & { readonly projects: readonly VisibleProject[] },
): Promise<readonly Found[]> {
  const nameOf = nameIn(deps, wanted);
  const found = await Promise.all(
    projects.map(async (project) => {
      const name = nameOf(project.namespace);
      const isFound = name !== undefined && (await mayAll(request, project.namespace, READ_JOB));
      return isFound ? [foundIn(project, name)] : [];
    }),
  );
  return found.flat();
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

/**
 * Asks the API server for all projects first, because a slow history would use up the time for its responses.
 * @throws PageError 503 when the history does not respond: it could have the job
 */
async function inHistories(
  { history, config }: Pick<Deps, 'config'> & { readonly history: History },
  request: PageRequest,
  { projects, uuid }: { readonly projects: readonly VisibleProject[]; readonly uuid: string },
): Promise<SearchedHistories> {
  const known = await inBatches(projects, AT_A_TIME, async (project) => ({
    project,
    projectUid: await historyUid(request, project.namespace),
  }));
  const readable = known.flatMap(({ project, projectUid }) =>
    projectUid === undefined ? [] : [{ project, projectUid }],
  );
  let searched = 0;
  async function inOne({ project, projectUid }: (typeof readable)[number]): Promise<readonly Found[]> {
    const job = await readHistory(config.workTimeoutMs, (signal) =>
      history.readJob({ projectUid, id: uuid }, signal),
    );
    searched += 1;
    return job === undefined ? [] : [foundIn(project, uuid)];
  }
  try {
    for (let start = 0; start < readable.length; start += AT_A_TIME) {
      const found = (await Promise.all(readable.slice(start, start + AT_A_TIME).map(inOne))).flat();
      if (found.length > 0) return { found, searched };
    }
    return { found: [], searched };
  } catch (error) {
    if (!isHistoryAway(error)) throw error;
    throw new PageError(
      503,
      'The history is not available',
      `Job ${uuid} is not in the cluster, and the history database does not respond. Try again in a moment.`,
    );
  }
}

function responseOf(given: string, found: readonly Found[], data: object): PageResponse {
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return { kind: 'go', to: first.href };
  return {
    kind: 'page',
    view: '/jobs/job-search',
    title: first === undefined ? 'Job not found' : 'Jobs with this name',
    status: first === undefined ? 404 : 200,
    data: { given, found, ...data },
  };
}

async function find(deps: Deps, request: PageRequest): Promise<PageResponse> {
  const given = (request.query.get('id') ?? '').trim();
  const wanted = wantedOf(given.toLowerCase());
  if (wanted === undefined)
    throw new PageError(422, 'Not a job ID', 'Enter the ID of a job, or its name in Kubernetes.');
  const projects = await visibleProjects(deps.caches.zipProjects, request.user, { isMenu: true });
  const found = await inCluster(deps, request, { projects, ...wanted });
  const { history } = deps;
  if (found.length > 0 || history === undefined || wanted.uuid === undefined) {
    const notSearched = history === undefined ? NO_HISTORY : NO_ID;
    return responseOf(given, found, { projects, notSearched });
  }
  using _place = deps.takeSearch(request.user.name);
  const first = projects.slice(0, MOST_HISTORIES);
  const archived = await inHistories({ history, config: deps.config }, request, {
    projects: first,
    uuid: wanted.uuid,
  });
  return responseOf(given, archived.found, {
    projects,
    notSearched: '',
    searched: archived.searched,
    most: MOST_HISTORIES,
  });
}

/** Finds a job by its ID in every project that the user can see, and redirects to its page. */
export function createFindJob(deps: Deps): readonly Route[] {
  return [{ method: 'GET', path: '/find', handle: (request) => find(deps, request) }];
}
