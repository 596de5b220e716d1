import { PHASES } from '#crds/zip-job.ts';
import { FORMAT } from '../../format.ts';
import type { Place } from '../../live/job-order.ts';
import { PageError, type PageRequest, type Route } from '../../page.ts';
import { createSharedReads } from '../../sharing/shared-reads.ts';
import type { Question } from '../../user/access.ts';
import { fromJobQuery, writeHistoryQuery } from '../history/history-query.ts';
import type { PageDeps } from '../page-deps.ts';
import { findJobs, JOBS_ON_A_PAGE, type JobPage } from './find-jobs.ts';
import { isNarrowed, type JobQuery, PERIODS, readJobQuery, writeJobQuery } from './job-query.ts';
import { jobRow } from './job-row.ts';

const NEEDS: readonly Question[] = [{ verb: 'list', resource: 'zipjobs' }];

const option = (value: string, text: string = value) => ({ value, text });
const STATE_OPTIONS = [
  option('', 'Any'),
  option('unfinished', 'In progress'),
  ...PHASES.map((phase) => option(phase)),
];
const PERIOD_OPTIONS = [option('', 'Any time'), ...PERIODS.map(({ value, text }) => option(value, text))];

const formOf = ({ text, state, bucket, within }: JobQuery) => ({
  values: { q: text, state, bucket, within },
  errors: {},
});

/** Path of the live part: it requests only the rows on the page and the count of newer jobs. */
const liveHref = (namespace: string, names: readonly string[], newest: Place | undefined): string => {
  const query = new URLSearchParams({ at: newest?.at ?? '', name: newest?.name ?? '' });
  for (const name of names) query.append('row', name);
  return `${FORMAT.path('projects', namespace, 'live', 'jobs')}?${query.toString()}`;
};

const BYTES_OF_A_JOB = 4 * 1_024;

/** A search reads every job of the project, so that the sessions of a user share its result. */
const createFind = ({ caches: { zipJobs }, jobs: { order }, config, clock, metrics }: PageDeps) => {
  const share = createSharedReads<JobPage>({
    clock,
    ageMs: config.dashboardSharedReadMs,
    maxBytes: config.dashboardSharedReadBytes,
    bytesOf: ({ jobs }) => (jobs.length + 1) * BYTES_OF_A_JOB,
    onShared: () => metrics.sharedReads.inc({ kind: 'search' }),
  });
  return async ({ user, namespace, now }: PageRequest, query: JobQuery): Promise<JobPage> => {
    const find = (): JobPage => findJobs({ order, zipJobs }, { namespace, query, now });
    if (!isNarrowed(query)) return find();
    return share(user.name, [namespace, writeJobQuery(query)], () => Promise.resolve(find()));
  };
};

const listOf = async (
  { jobs: { order }, history }: PageDeps,
  find: ReturnType<typeof createFind>,
  request: PageRequest,
) => {
  const { namespace, now } = request;
  const query = readJobQuery(request.query);
  const { jobs, ...at } = await find(request, query);
  const path = FORMAT.path('projects', namespace, 'jobs');
  const names = jobs.map(({ metadata }) => metadata.name);
  return {
    namespace,
    path,
    ...at,
    isNarrowed: isNarrowed(query),
    form: formOf(query),
    states: STATE_OPTIONS,
    periods: PERIOD_OPTIONS,
    buckets: [option('', 'Any'), ...order.buckets(namespace).map((name) => option(name))],
    live: liveHref(namespace, names, order.newest(namespace)),
    href: (page: number) => path + writeJobQuery({ ...query, page }),
    rows: jobs.map((job) => jobRow(job, now)),
    newer: 0,
    historyHref:
      history && FORMAT.path('projects', namespace, 'history') + writeHistoryQuery(fromJobQuery(query, now)),
  };
};

const rowsOf = (
  { caches: { zipJobs }, jobs: { order } }: PageDeps,
  { namespace, query, now }: PageRequest,
) => {
  const names = query.getAll('row');
  if (names.length > JOBS_ON_A_PAGE)
    throw new PageError(422, 'Too many rows', `Request at most ${JOBS_ON_A_PAGE} rows.`);
  const place = { at: query.get('at') ?? '', name: query.get('name') ?? '' };
  return {
    path: FORMAT.path('projects', namespace, 'jobs'),
    rows: names.flatMap((name) => zipJobs.get(`${namespace}/${name}`) ?? []).map((job) => jobRow(job, now)),
    newer: order.countAfter(namespace, place),
  };
};

/** The job list of a project. Its rows stay live; newer jobs only appear as a link, so that rows do not move while a user clicks. */
export const createJobsPage = (deps: PageDeps): readonly Route[] => {
  const find = createFind(deps);
  return [
    {
      method: 'GET',
      path: '/projects/:project/jobs',
      needs: NEEDS,
      handle: async (request) => ({
        kind: 'page',
        view: '/pages/jobs/jobs',
        title: 'Jobs',
        section: 'jobs',
        data: await listOf(deps, find, request),
      }),
    },
    {
      method: 'GET',
      path: '/projects/:project/live/jobs',
      needs: NEEDS,
      handle: async (request) => ({
        kind: 'fragment',
        view: '/pages/jobs/job-rows',
        data: rowsOf(deps, request),
      }),
    },
  ];
};
