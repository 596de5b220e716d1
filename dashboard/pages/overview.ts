import { NAMESPACE_INDEX } from '../caches.ts';
import { FORMAT } from '../format.ts';
import type { PageRequest, Route } from '../page.ts';
import type { Question } from '../user/access.ts';
import { createPeriodStatistics } from './history/period-statistics.ts';
import { projectUidOf } from './history/project-uid.ts';
import { hourChart } from './hour-chart.ts';
import { keptFor } from './kept-figures.ts';
import { overviewOf } from './overview-figures.ts';
import type { PageDeps } from './page-deps.ts';
import { limitFacts } from './project-limits.ts';
import { projectOf } from './project-of.ts';

const NEEDS: readonly Question[] = [{ verb: 'list', resource: 'zipjobs' }];

/** Shorter than the refresh interval: fifty open pages of a project with 10,000 jobs then share one count. */
const FIGURES_AGE_MS = 2_000;

/** Undefined without a history. */
const createStatisticsOf = (deps: PageDeps) => {
  const { history } = deps;
  if (history === undefined) return async () => undefined;
  const read = createPeriodStatistics(deps, history);
  return async (request: PageRequest) => ({
    rows: await read(await projectUidOf(request), request.now),
    usageHref: FORMAT.path('projects', request.namespace, 'usage'),
    historyHref: FORMAT.path('projects', request.namespace, 'history'),
  });
};

/** The overview of a project; its figures stay live. */
export const createOverviewPage = (deps: PageDeps): readonly Route[] => {
  const { caches, jobs } = deps;
  const statisticsOf = createStatisticsOf(deps);
  const figuresOf = keptFor(FIGURES_AGE_MS, (namespace, now) =>
    overviewOf(caches.zipJobs.byIndex(NAMESPACE_INDEX, namespace), now),
  );
  const dataOf = (request: PageRequest) => {
    const overview = figuresOf(request.namespace, request.now);
    return {
      ...projectOf(caches.zipProjects, request.namespace),
      overview,
      chart: hourChart(overview.hours),
    };
  };
  return [
    {
      method: 'GET',
      path: '/projects/:project',
      needs: NEEDS,
      handle: async (request) => {
        const figures = dataOf(request);
        const data = {
          ...figures,
          limits: limitFacts(figures.project, jobs.order.size(request.namespace)),
          statistics: await statisticsOf(request),
        };
        return { kind: 'page', view: '/pages/overview', title: data.title, section: 'overview', data };
      },
    },
    {
      method: 'GET',
      path: '/projects/:project/live/overview',
      needs: NEEDS,
      handle: async (request) => ({
        kind: 'fragment',
        view: '/pages/overview-figures',
        data: dataOf(request),
      }),
    },
  ];
};
