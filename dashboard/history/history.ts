import { AppError } from '#runtime/errors.ts';
import type { JobPage } from '#runtime/history/list-jobs.ts';
import type { PageRequest, Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { filterLine, savedViews } from '../jobs/job-filters.ts';
import {
  isNarrowed,
  type JobQuery,
  type JobQueryErrors,
  readJobQuery,
  writeJobQuery,
} from '../jobs/job-query.ts';
import { type ListFrame, rangeText, tableOf } from '../jobs/list-view.ts';
import { FORMAT } from '../ui/format.ts';
import { HISTORY_AWAY, isHistoryAway, readHistory } from './history-away.ts';
import { newerPlaces, olderPlaces, readPlaces, rowsBefore } from './history-places.ts';
import { historyFilter } from './history-query.ts';
import type { History } from './history-reader.ts';
import { historyRow } from './history-row.ts';
import { projectUidOf } from './project-uid.ts';
import { READ_HISTORY } from './read-history.ts';

/** As in the list of jobs. More would exceed the size of a first view. */
export const JOBS_ON_A_PAGE = 25;

interface Found {
  readonly query: JobQuery;
  readonly page: JobPage;
  readonly errors: JobQueryErrors;
  /** Why the history cannot be read now; otherwise empty. */
  readonly away: string;
}

const NO_JOBS: JobPage = { jobs: [] };

/** The parameter that is wrong. */
const PARAMETERS: Readonly<Record<string, 'q' | 'after'>> = { InvalidFilter: 'q', InvalidCursor: 'after' };

type HistoryDeps = Pick<PageDeps, 'config' | 'jobs'> & { readonly history: History };

async function search(
  { config, history }: HistoryDeps,
  request: PageRequest,
  query: JobQuery,
): Promise<Found> {
  const filter = historyFilter(await projectUidOf(request), query, request.now);
  const cursor = readPlaces(query.after).places.at(-1)?.cursor;
  try {
    const page = await readHistory(config.workTimeoutMs, (signal) =>
      history.listJobs(filter, { limit: JOBS_ON_A_PAGE, ...(cursor !== undefined && { cursor }), signal }),
    );
    return { query, page, errors: {}, away: '' };
  } catch (error) {
    if (isHistoryAway(error)) return { query, page: NO_JOBS, errors: {}, away: HISTORY_AWAY };
    const name = error instanceof AppError ? PARAMETERS[error.code] : undefined;
    if (!(error instanceof AppError) || name === undefined) throw error;
    return { query, page: NO_JOBS, errors: { [name]: error.message }, away: '' };
  }
}

function statusOf({ errors, away }: Found): number {
  if (away !== '') return 503;
  return Object.keys(errors).length > 0 ? 422 : 200;
}

function frameOf(path: string, query: JobQuery, { jobs, next }: JobPage): ListFrame {
  const shown = readPlaces(query.after);
  const newer = newerPlaces(shown);
  const before = rowsBefore(shown);
  const total = next === undefined && before !== undefined ? before + jobs.length : undefined;
  function hrefOf(after: string | undefined): string | undefined {
    return after === undefined ? undefined : path + writeJobQuery({ ...query, after });
  }
  return {
    views: savedViews(path, { source: 'history', query }),
    pages: {
      range: before === undefined ? '' : rangeText(before, jobs.length, total),
      newerHref: hrefOf(newer),
      olderHref: hrefOf(next === undefined ? undefined : olderPlaces(shown, next, jobs.length)),
      newestHref: hrefOf(shown.places.length > 1 || (shown.isCut && newer === undefined) ? '' : undefined),
    },
    isNarrowed: isNarrowed(query),
  };
}

function viewOf({ jobs, config }: HistoryDeps, namespace: string, found: Found) {
  const { query, page, errors, away } = found;
  const path = FORMAT.path('projects', namespace, 'history');
  const { choices } = jobs;
  return {
    ...frameOf(path, query, page),
    ...tableOf(page.jobs.map(historyRow), { at: 'Finished', canPick: false }),
    jobsPath: FORMAT.path('projects', namespace, 'jobs'),
    usagePath: FORMAT.path('projects', namespace, 'usage'),
    filters: filterLine({ namespace, path, source: 'history', query, choices }, errors),
    isValid: Object.keys(errors).length === 0,
    away,
    searchedTo: page.searchedTo ?? '',
    isOlderPage: query.after !== '',
    exportHref: `${path}.csv${writeJobQuery({ ...query, after: '' })}`,
    exportRows: config.dashboardExportRows,
  };
}

/** The finished jobs of a project that the history database keeps. */
export function createHistoryPage(deps: PageDeps, history: History): readonly Route[] {
  const { config, jobs } = deps;
  return [
    {
      method: 'GET',
      path: '/projects/:project/history',
      needs: READ_HISTORY,
      handle: async (request) => {
        const { query, errors } = readJobQuery(request.query, 'history');
        const isValid = Object.keys(errors).length === 0;
        const found = isValid
          ? await search({ config, jobs, history }, request, query)
          : { query, page: NO_JOBS, errors, away: '' };
        return {
          kind: 'page',
          view: '/history/history',
          title: 'History',
          section: 'history',
          status: statusOf(found),
          data: viewOf({ config, jobs, history }, request.namespace, found),
        };
      },
    },
  ];
}
