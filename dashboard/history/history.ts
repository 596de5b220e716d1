import { TERMINAL_PHASES } from '#crds/zip-job.ts';
import { AppError } from '#runtime/errors.ts';
import type { JobPage } from '#runtime/history/list-jobs.ts';
import type { PageRequest, Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { FORMAT } from '../ui/format.ts';
import { FINAL_REASONS } from './final-reasons.ts';
import { HISTORY_AWAY, isHistoryAway, readHistory } from './history-away.ts';
import { historyChips } from './history-chips.ts';
import {
  type HistoryErrors,
  type HistoryQuery,
  historyFilter,
  readHistoryQuery,
  timesOf,
  writeHistoryQuery,
} from './history-query.ts';
import type { History } from './history-reader.ts';
import { historyRow } from './history-row.ts';
import { projectUidOf } from './project-uid.ts';
import { READ_HISTORY } from './read-history.ts';

/** As in the list of jobs. More would exceed the size of a first view. */
export const JOBS_ON_A_PAGE = 25;

function option(value: string, text: string = value) {
  return { value, text };
}

const STATE_OPTIONS = [option('', 'Any'), ...TERMINAL_PHASES.map((phase) => option(phase))];

/** With the reason of a URL that this version does not know. */
function reasonOptions(reason: string) {
  const unknown = reason === '' || FINAL_REASONS.includes(reason) ? [] : [option(reason)];
  return [option('', 'Any'), ...FINAL_REASONS.map((known) => option(known)), ...unknown];
}

interface Found {
  readonly page: JobPage;
  readonly errors: HistoryErrors;
  /** Why the history cannot be read now; otherwise empty. */
  readonly away: string;
}

const NO_JOBS: JobPage = { jobs: [] };

/** The parameter that is wrong. */
const PARAMETERS: Readonly<Record<string, 'q' | 'after'>> = { InvalidFilter: 'q', InvalidCursor: 'after' };

async function search(
  { config, history }: Pick<PageDeps, 'config'> & { readonly history: History },
  request: PageRequest,
  query: HistoryQuery,
): Promise<Found> {
  const filter = historyFilter(await projectUidOf(request), query);
  const wanted = { limit: JOBS_ON_A_PAGE, ...(query.after !== '' && { cursor: query.after }) };
  try {
    const page = await readHistory(config.workTimeoutMs, (signal) =>
      history.listJobs(filter, { ...wanted, signal }),
    );
    return { page, errors: {}, away: '' };
  } catch (error) {
    if (isHistoryAway(error)) return { page: NO_JOBS, errors: {}, away: HISTORY_AWAY };
    const name = error instanceof AppError ? PARAMETERS[error.code] : undefined;
    if (!(error instanceof AppError) || name === undefined) throw error;
    return { page: NO_JOBS, errors: { [name]: error.message }, away: '' };
  }
}

function statusOf({ errors, away }: Found): number {
  if (away !== '') return 503;
  return Object.keys(errors).length > 0 ? 422 : 200;
}

function viewOf(namespace: string, query: HistoryQuery, { page, errors, away }: Found) {
  const path = FORMAT.path('projects', namespace, 'history');
  const { after, ...filters } = query;
  return {
    namespace,
    path,
    jobsPath: FORMAT.path('projects', namespace, 'jobs'),
    usagePath: FORMAT.path('projects', namespace, 'usage'),
    form: { values: { ...filters, ...timesOf(filters) }, errors },
    states: STATE_OPTIONS,
    reasons: reasonOptions(query.reason),
    chips: historyChips(path, query),
    error: Object.values(errors)[0] ?? '',
    away,
    rows: page.jobs.map(historyRow),
    searchedTo: page.searchedTo ?? '',
    isOlderPage: after !== '',
    newestHref: path + writeHistoryQuery(filters),
    olderHref: page.next === undefined ? '' : path + writeHistoryQuery({ ...filters, after: page.next }),
    exportHref: `${path}.csv${writeHistoryQuery(filters)}`,
  };
}

/** The finished jobs of a project that the history database keeps. */
export function createHistoryPage({ config }: PageDeps, history: History): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/projects/:project/history',
      needs: READ_HISTORY,
      handle: async (request) => {
        const { query, errors } = readHistoryQuery(request.query);
        const isValid = Object.keys(errors).length === 0;
        const found = isValid
          ? await search({ config, history }, request, query)
          : { page: NO_JOBS, errors, away: '' };
        const data = {
          ...viewOf(request.namespace, query, found),
          exportRows: config.dashboardExportRows,
        };
        const status = statusOf(found);
        return {
          kind: 'page',
          view: '/history/history',
          title: 'History',
          section: 'history',
          status,
          data,
        };
      },
    },
  ];
}
