import { fromJobQuery, writeHistoryQuery } from '../history/history-query.ts';
import { PageError, type PageRequest, type Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import type { Place } from '../live/job-order.ts';
import { NEW_JOB_RIGHTS } from '../new-job/job-rules.ts';
import { newJobHref } from '../new-job/new-job.ts';
import { formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { BULK_ACTIONS } from './bulk/bulk-actions.ts';
import { bulkPath } from './bulk/bulk-jobs.ts';
import { JOBS_ON_A_PAGE, matcherOf } from './find-jobs.ts';
import { filterChips, filterForm, filterOptions, validJobQuery } from './job-filters.ts';
import { isNarrowed, type JobQuery, readJobQuery, writeJobQuery } from './job-query.ts';
import { jobRow } from './job-row.ts';
import { LIST_JOBS } from './list-jobs-right.ts';
import { createSearchJobs, type SearchedPage, type SearchJobs } from './search-jobs.ts';

const NOTHING: SearchedPage = { jobs: [], total: 0, page: 1, pages: 1, newest: undefined };

/** Path of the live part: it requests only the rows on the page and the counts of the same search. */
function liveHref(
  namespace: string,
  query: JobQuery,
  shown: { readonly names: readonly string[]; readonly newest: Place | undefined; readonly canPick: boolean },
): string {
  const { names, newest, canPick } = shown;
  const params = new URLSearchParams(writeJobQuery(query));
  if (canPick) params.set('pick', '1');
  params.set('at', newest?.at ?? '');
  params.set('name', newest?.name ?? '');
  for (const name of names) params.append('row', name);
  return `${FORMAT.path('projects', namespace, 'live', 'jobs')}?${params.toString()}`;
}

/** The links and texts around the rows, which depend on the search only. */
function aroundRows(namespace: string, query: JobQuery) {
  const path = FORMAT.path('projects', namespace, 'jobs');
  return {
    path,
    isNarrowed: isNarrowed(query),
    firstSteps: FORMAT.path('projects', namespace, 'first-steps'),
    newestHref: path + writeJobQuery({ ...query, page: 1 }),
    reloadHref: path + writeJobQuery(query),
  };
}

/** What a user can do with many jobs; a denied action carries the reason. */
async function bulkOf({ config }: PageDeps, { user, namespace }: PageRequest, query: JobQuery) {
  return {
    limit: config.dashboardBulkJobsMax,
    query: writeJobQuery({ ...query, page: 1 }),
    actions: await Promise.all(
      BULK_ACTIONS.map(async ({ kind, label, needs }) => ({
        kind,
        label,
        href: bulkPath(namespace, kind),
        reason: (await user.seemsToBeAllowed(namespace, needs)).reason,
      })),
    ),
  };
}

async function listOf(deps: PageDeps, search: SearchJobs, request: PageRequest) {
  const {
    jobs: { choices },
    history,
  } = deps;
  const { namespace, now } = request;
  const { query, errors } = readJobQuery(request.query);
  const isValid = formStatus(errors) === 200;
  const { jobs, newest, ...at } = isValid ? await search.page(request, query) : NOTHING;
  const path = FORMAT.path('projects', namespace, 'jobs');
  const [bulk, newJobReason] = await Promise.all([
    bulkOf(deps, request, query),
    reasonAgainst(request, NEW_JOB_RIGHTS),
  ]);
  const canPick = bulk.actions.some(({ reason }) => reason === '');
  const names = jobs.map(({ metadata }) => metadata.name);
  return {
    ...aroundRows(namespace, query),
    ...at,
    ...filterOptions(choices, namespace, query),
    namespace,
    isValid,
    form: filterForm(query, errors),
    chips: filterChips(path, query),
    bulk,
    newJob: { href: newJobHref(namespace), reason: newJobReason },
    canPick,
    live: liveHref(namespace, query, { names, newest, canPick }),
    href: (page: number) => path + writeJobQuery({ ...query, page }),
    exportHref: `${path}.csv${writeJobQuery({ ...query, page: 1 })}`,
    rows: jobs.map((job) => jobRow(job, now)),
    newer: 0,
    gone: 0,
    historyHref:
      history && FORMAT.path('projects', namespace, 'history') + writeHistoryQuery(fromJobQuery(query, now)),
    historyLeavesOut: query.to !== '',
  };
}

async function rowsOf({ caches: { zipJobs } }: PageDeps, search: SearchJobs, request: PageRequest) {
  const { namespace, query: params, now } = request;
  const names = params.getAll('row');
  if (names.length > JOBS_ON_A_PAGE)
    throw new PageError(422, 'Too many rows', `Request at most ${JOBS_ON_A_PAGE} rows.`);
  const query = validJobQuery(params);
  const place = { at: params.get('at') ?? '', name: params.get('name') ?? '' };
  const jobs = names.flatMap((name) => zipJobs.get(`${namespace}/${name}`) ?? []);
  const matches = matcherOf({ namespace, query, now });
  return {
    ...aroundRows(namespace, query),
    ...(await search.counts(request, query, place)),
    canPick: params.has('pick'),
    rows: jobs.map((job) => jobRow(job, now)),
    /** Rows that stay where they are although their job changed or was deleted. */
    gone: names.length - jobs.filter(matches).length,
  };
}

/** The job list of a project. Its rows stay live; newer jobs only appear as a link, so that rows do not move while a user clicks. */
export function createJobsPage(deps: PageDeps): readonly Route[] {
  const search = createSearchJobs(deps);
  return [
    {
      method: 'GET',
      path: '/projects/:project/jobs',
      needs: LIST_JOBS,
      handle: async (request) => {
        const data = await listOf(deps, search, request);
        const status = formStatus(data.form.errors);
        return { kind: 'page', view: '/jobs/jobs', title: 'Jobs', section: 'jobs', status, data };
      },
    },
    {
      method: 'GET',
      path: '/projects/:project/live/jobs',
      needs: LIST_JOBS,
      handle: async (request) => ({
        kind: 'fragment',
        view: '/jobs/job-rows',
        data: await rowsOf(deps, search, request),
      }),
    },
  ];
}
