import { NAMESPACE_INDEX } from '../caches.ts';
import type { PageRequest, Route } from '../page.ts';
import type { Question } from '../user/access.ts';
import { hourChart } from './hour-chart.ts';
import { keptFor } from './kept-figures.ts';
import { overviewOf } from './overview-figures.ts';
import type { PageDeps } from './page-deps.ts';
import { limitFacts } from './project-limits.ts';
import { projectOf } from './project-of.ts';

const NEEDS: readonly Question[] = [{ verb: 'list', resource: 'zipjobs' }];

/** Shorter than the refresh interval: fifty open pages of a project with 10,000 jobs then share one count. */
const FIGURES_AGE_MS = 2_000;

/** The overview of a project; its figures stay live. */
export const createOverviewPage = ({ caches, jobs }: PageDeps): readonly Route[] => {
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
