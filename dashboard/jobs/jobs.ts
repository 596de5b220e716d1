import { fromJobQuery } from '../history/history-query.ts';
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
import { countViews, filterLine, savedViews, validJobQuery } from './job-filters.ts';
import { isNarrowed, type JobQuery, readJobQuery, writeJobQuery } from './job-query.ts';
import { jobRow } from './job-row.ts';
import { LIST_JOBS } from './list-jobs-right.ts';
import { type ListFrame, rangeText, tableOf } from './list-view.ts';
import { createSearchJobs, type SearchedPage, type SearchJobs } from './search-jobs.ts';

const NOTHING: SearchedPage = { jobs: [], total: 0, page: 1, pages: 1, newest: undefined };

function jobsPath(namespace: string): string {
  return FORMAT.path('projects', namespace, 'jobs');
}

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

/** The tabs, pages and links around the rows of one page. */
function frameOf(
  { jobs }: PageDeps,
  { namespace, now }: PageRequest,
  { query, total, count }: { readonly query: JobQuery; readonly total: number; readonly count: number },
): ListFrame & { readonly newestHref: string; readonly reloadHref: string; readonly firstSteps: string } {
  const path = jobsPath(namespace);
  const before = (query.page - 1) * JOBS_ON_A_PAGE;
  function hrefOf(page: number, isThere: boolean): string | undefined {
    return isThere ? path + writeJobQuery({ ...query, page }) : undefined;
  }
  const counts = countViews(jobs, namespace, now);
  return {
    views: savedViews(path, { source: 'cluster', query }, counts),
    pages: {
      range: rangeText(before, count, Math.max(total, before + count)),
      newerHref: hrefOf(query.page - 1, query.page > 1),
      olderHref: hrefOf(query.page + 1, total > before + JOBS_ON_A_PAGE),
      newestHref: undefined,
    },
    isNarrowed: isNarrowed(query),
    firstSteps: FORMAT.path('projects', namespace, 'first-steps'),
    newestHref: path + writeJobQuery({ ...query, page: 1, sort: '' }),
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

function historyLink({ history }: PageDeps, { namespace, now }: PageRequest, query: JobQuery) {
  return {
    historyHref:
      history && FORMAT.path('projects', namespace, 'history') + writeJobQuery(fromJobQuery(query, now)),
    historyLeavesOut: query.to !== '',
  };
}

async function listOf(deps: PageDeps, search: SearchJobs, request: PageRequest) {
  const { namespace, now } = request;
  const { query: given, errors } = readJobQuery(request.query);
  const isValid = formStatus(errors) === 200;
  const { jobs, newest, total, page } = isValid ? await search.page(request, given) : NOTHING;
  const query = { ...given, page };
  const path = jobsPath(namespace);
  const [bulk, newJobReason] = await Promise.all([
    bulkOf(deps, request, query),
    reasonAgainst(request, NEW_JOB_RIGHTS),
  ]);
  const canPick = bulk.actions.some(({ reason }) => reason === '');
  const names = jobs.map(({ metadata }) => metadata.name);
  const rows = jobs.map((job) => jobRow(job, now));
  return {
    ...frameOf(deps, request, { query, total, count: rows.length }),
    ...tableOf(rows, { at: 'Created', canPick, sort: { path, query } }),
    total,
    isValid,
    errors,
    filters: filterLine({ namespace, path, source: 'cluster', query, choices: deps.jobs.choices }, errors),
    bulk,
    newJob: { href: newJobHref(namespace), reason: newJobReason },
    live: liveHref(namespace, query, { names, newest, canPick }),
    exportHref: `${path}.csv${writeJobQuery({ ...query, page: 1, sort: '' })}`,
    exportRows: deps.config.dashboardExportRows,
    newer: 0,
    gone: 0,
    ...historyLink(deps, request, query),
  };
}

async function rowsOf(deps: PageDeps, search: SearchJobs, request: PageRequest) {
  const { namespace, query: params, now } = request;
  const names = params.getAll('row');
  if (names.length > JOBS_ON_A_PAGE)
    throw new PageError(422, 'Too many rows', `Request at most ${JOBS_ON_A_PAGE} rows.`);
  const query = validJobQuery(params);
  const place = { at: params.get('at') ?? '', name: params.get('name') ?? '' };
  const jobs = names.flatMap((name) => deps.caches.zipJobs.get(`${namespace}/${name}`) ?? []);
  const matches = matcherOf({ namespace, query, now });
  const counts = await search.counts(request, query, place);
  const rows = jobs.map((job) => jobRow(job, now));
  const sort = { path: jobsPath(namespace), query };
  return {
    ...frameOf(deps, request, { query, total: counts.total, count: rows.length }),
    ...tableOf(rows, { at: 'Created', canPick: params.has('pick'), sort }),
    ...counts,
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
        const status = formStatus(data.errors);
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
