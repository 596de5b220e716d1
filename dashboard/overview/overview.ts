import { projectKey } from '#crds/api-group.ts';
import { createHistoryFigures, FIGURES_AGE_MS } from '../history/history-figures.ts';
import { projectUidOf } from '../history/project-uid.ts';
import type { PageRequest, Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { ALL, NAMESPACE_INDEX } from '../live/caches.ts';
import { limitFacts } from '../projects/project-limits.ts';
import { projectOf } from '../projects/project-of.ts';
import { FORMAT } from '../ui/format.ts';
import type { Question } from '../user/access.ts';
import { currentFigures } from './current-figures.ts';
import { clusterLinks, historyLinks } from './job-links.ts';
import { keptFor } from './kept-figures.ts';
import { currentTiles, type PeriodView, periodView } from './overview-view.ts';
import {
  clusterFigures,
  type FailedJob,
  newestFailures,
  type PeriodFigures,
  projectFailures,
} from './period-figures.ts';
import { DAY, PERIODS, type Period, periodOf } from './periods.ts';

const NEEDS: readonly Question[] = [{ verb: 'list', resource: 'zipjobs' }];

/** Shorter than the refresh interval: fifty open pages of a project with 10,000 jobs then share one count. */
const COUNT_AGE_MS = 2_000;

interface Found {
  /** Undefined for a longer period while the history cannot be read. */
  readonly figures: PeriodFigures | undefined;
  /** The history cannot be read, so only jobs in the cluster are counted. */
  readonly isAway: boolean;
}

interface Counts {
  readonly current: ReturnType<typeof currentFigures>;
  /** Of the last 24 hours. */
  readonly day: PeriodFigures;
  /** Of the last 24 hours, without those of a project that was deleted. */
  readonly failures: readonly FailedJob[];
}

type CountJobs = (namespace: string, now: Date) => Counts;

/** All figures of the jobs in the cluster from one read: it unpacks every job of the project, which costs more than counting. */
function createCountJobs({ caches }: Pick<PageDeps, 'caches'>): CountJobs {
  return keptFor(COUNT_AGE_MS, (namespace, now) => {
    const jobs = caches.zipJobs.byIndex(NAMESPACE_INDEX, namespace, ALL);
    const createdAt = caches.zipProjects.get(projectKey(namespace))?.metadata.creationTimestamp;
    return {
      current: currentFigures(jobs, now),
      day: clusterFigures(jobs, DAY, now),
      failures: projectFailures(jobs, createdAt, { period: DAY, now }),
    };
  });
}

/** Figures of a period: from the history, or from the jobs in the cluster. */
function createFindFigures(
  deps: PageDeps,
  count: CountJobs,
): (request: PageRequest, period: Period) => Promise<Found> {
  const { history } = deps;
  function ofCluster(namespace: string, now: Date): PeriodFigures {
    return count(namespace, now).day;
  }
  const ofHistory = history && createHistoryFigures(deps, history);
  return async (request, period) => {
    const { namespace, now } = request;
    if (ofHistory === undefined) return { figures: ofCluster(namespace, now), isAway: false };
    const figures = await ofHistory(period, await projectUidOf(request), now);
    if (figures !== undefined) {
      // A job is in the history a moment after its end.
      const recent = newestFailures([...count(namespace, now).failures, ...figures.recent]);
      return { figures: { ...figures, recent }, isAway: false };
    }
    return { figures: period === DAY ? ofCluster(namespace, now) : undefined, isAway: true };
  };
}

/** Whether a job of the project has ever succeeded, as in `HasStarted`; true without asking if the page shows a job. */
async function startedBefore(
  { jobs, caches, hasStarted }: PageDeps,
  { namespace, now }: PageRequest,
  shown: PeriodView | undefined,
): Promise<boolean | undefined> {
  const hasNoJob = jobs.order.size(namespace) === 0 && shown !== undefined && shown.charts === undefined;
  return hasNoJob ? hasStarted(projectOf(caches.zipProjects, namespace).project, now) : true;
}

function createPeriodData(deps: PageDeps, count: CountJobs) {
  const hasHistory = deps.history !== undefined;
  const find = createFindFigures(deps, count);
  return async (request: PageRequest) => {
    const { namespace, now } = request;
    const home = FORMAT.path('projects', namespace);
    const period = hasHistory ? periodOf(request.query.get('period')) : DAY;
    const { figures, isAway } = await find(request, period);
    const links = hasHistory && !isAway ? historyLinks(namespace) : clusterLinks(namespace);
    const shown = figures && periodView(figures, { namespace, period, links, now });
    const hasStarted = await startedBefore(deps, request, shown);
    return {
      namespace,
      period,
      periods: (hasHistory ? PERIODS : [DAY]).map((one) => ({
        label: one.label,
        href: `${home}?period=${one.value}`,
        isCurrent: one === period,
      })),
      isAway,
      shown,
      isNew: hasStarted === false,
      /** The page shows no job, and does not know whether there was one. */
      mayBeNew: hasStarted !== true,
      liveEveryMs: hasHistory ? FIGURES_AGE_MS : undefined,
      usageHref: hasHistory ? `${home}/usage` : undefined,
    };
  };
}

/** The overview of a project; its figures stay live. */
export function createOverviewPage(deps: PageDeps): readonly Route[] {
  const { caches, jobs } = deps;
  const count = createCountJobs(deps);
  function currentData({ namespace, now }: PageRequest) {
    return {
      namespace,
      current: currentTiles(namespace, count(namespace, now).current),
    };
  }
  const periodData = createPeriodData(deps, count);
  return [
    {
      method: 'GET',
      path: '/projects/:project',
      needs: NEEDS,
      handle: async (request) => {
        const { namespace } = request;
        const project = projectOf(caches.zipProjects, namespace);
        const data = {
          ...project,
          ...currentData(request),
          ...(await periodData(request)),
          limits: limitFacts(project.project, jobs.order.size(namespace)),
        };
        return { kind: 'page', view: '/overview/overview', title: project.title, section: 'overview', data };
      },
    },
    {
      method: 'GET',
      path: '/projects/:project/live/overview',
      needs: NEEDS,
      handle: async (request) => ({
        kind: 'fragment',
        view: '/overview/overview-now',
        data: currentData(request),
      }),
    },
    {
      method: 'GET',
      path: '/projects/:project/live/overview-period',
      needs: NEEDS,
      handle: async (request) => ({
        kind: 'fragment',
        view: '/overview/overview-period',
        data: await periodData(request),
      }),
    },
  ];
}
