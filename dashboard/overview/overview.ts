import { projectKey } from '#crds/api-group.ts';
import { readGuide } from '../first-steps/guide.ts';
import { createHistoryFigures, FIGURES_AGE_MS } from '../history/history-figures.ts';
import { projectUidOf } from '../history/project-uid.ts';
import type { PageRequest, Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { LIST_JOBS } from '../jobs/list-jobs-right.ts';
import { ALL, NAMESPACE_INDEX } from '../live/caches.ts';
import { limitMeters } from '../projects/project-limits.ts';
import { projectOf } from '../projects/project-of.ts';
import { linksOfProject } from '../ui/external-links.ts';
import { FORMAT } from '../ui/format.ts';
import { currentFigures } from './current-figures.ts';
import { type Ended, findingsOf } from './health.ts';
import { clusterLinks, historyLinks, type JobLinks } from './job-links.ts';
import { keptFor } from './kept-figures.ts';
import { currentView, type PeriodView, periodView } from './overview-view.ts';
import {
  clusterFigures,
  earlierFigures,
  endedSince,
  type FailedJob,
  newestFailures,
  ofProject,
  type PeriodFigures,
  projectFailures,
} from './period-figures.ts';
import { DAY, PERIODS, type Period, periodOf, windowBefore, windowOf } from './periods.ts';

/** Shorter than the refresh interval: fifty open pages of a project with 10,000 jobs then share one count. */
const COUNT_AGE_MS = 2_000;
const MINUTE_MS = 60_000;
/** Finished jobs stay in the cluster for at least as long, also after the history has stored them. */
const HOUR_MS = 3_600_000;
/** These have a slot. */

interface Found {
  /** Undefined for a longer period while the history cannot be read. */
  readonly figures: PeriodFigures | undefined;
  /** The history cannot be read, so only jobs in the cluster are counted. */
  readonly isAway: boolean;
}

interface Counts {
  readonly current: ReturnType<typeof currentFigures>;
  readonly hour: ReturnType<typeof endedSince> & { readonly fromMs: number };
  /** Of the last 24 hours. */
  readonly day: PeriodFigures;
  /** Of the last 24 hours, without those of a project that was deleted. */
  readonly failures: readonly FailedJob[];
}

type CountJobs = (namespace: string, now: Date) => Counts;

/** All figures of the jobs in the cluster from one read: it unpacks every job of the project, which costs more than counting. */
function createCountJobs({ caches, jobs, history }: PageDeps): CountJobs {
  /** Jobs of that age are gone unless one is still there. */
  function keepsEarlier(namespace: string, now: Date): boolean {
    const { succeeded } = jobs.ended;
    const from = new Date(windowBefore(DAY, now).fromMs).toISOString();
    return succeeded.size(namespace) > succeeded.countSince(namespace, from);
  }
  return keptFor(COUNT_AGE_MS, (namespace, now) => {
    const all = caches.zipJobs.byIndex(NAMESPACE_INDEX, namespace, ALL);
    const createdAt = caches.zipProjects.get(projectKey(namespace))?.metadata.creationTimestamp;
    // Whole minutes, as in the filters of the list.
    const fromMs = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - HOUR_MS;
    // The history has no jobs of a project that was deleted.
    const own = history === undefined ? all : ofProject(all, createdAt);
    return {
      current: currentFigures(all, now),
      hour: { ...endedSince(own, fromMs), fromMs },
      day: {
        ...clusterFigures(all, DAY, now),
        earlier: keepsEarlier(namespace, now) ? earlierFigures(all, DAY, now) : undefined,
      },
      failures: projectFailures(own, { period: DAY, now }),
    };
  });
}

/** A job is in the history a moment after its end. */
function withNewest(figures: PeriodFigures, inCluster: readonly FailedJob[]): PeriodFigures {
  const counted = new Set(figures.recent.map(({ uid }) => uid));
  const recent = newestFailures([
    ...inCluster.map((job) => (counted.has(job.uid) ? job : { ...job, isUncounted: true as const })),
    ...figures.recent,
  ]);
  return { ...figures, recent };
}

/** Figures of a period and of the last day: from the history, or from the jobs in the cluster. */
function createFindFigures(
  deps: PageDeps,
  count: CountJobs,
): (request: PageRequest, period: Period) => Promise<readonly [found: Found, day: Found]> {
  const { history } = deps;
  const ofHistory = history && createHistoryFigures(deps, history);
  return async (request, period) => {
    const { namespace, now } = request;
    const { day: inCluster, failures } = count(namespace, now);
    if (ofHistory === undefined) {
      const found = { figures: inCluster, isAway: false };
      return [found, found];
    }
    const projectUid = await projectUidOf(request);
    async function findOf(one: Period): Promise<Found> {
      const figures = await ofHistory?.(one, projectUid, now);
      if (figures !== undefined) return { figures: withNewest(figures, failures), isAway: false };
      return { figures: one === DAY ? inCluster : undefined, isAway: true };
    }
    return Promise.all([findOf(period), findOf(DAY)]);
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

/** Finished jobs of the last hour, from the cluster, and of the last day, as the figures count them. */
function endedOf(
  { hour, day: inCluster }: Counts,
  { namespace, now }: PageRequest,
  day: Found & { readonly links: JobLinks },
): { readonly hour: Ended; readonly day: Ended } {
  const hourHref = clusterLinks(namespace)({ state: 'Failed', fromMs: hour.fromMs });
  const dayHref = day.links({ state: 'Failed', fromMs: windowOf(DAY, now).fromMs });
  return {
    hour: { ...hour, label: 'hour', href: hourHref },
    day: { ...(day.figures ?? inCluster), label: DAY.label, href: dayHref },
  };
}

function createLiveData(deps: PageDeps) {
  const { caches, history } = deps;
  const periods = history === undefined ? [DAY] : PERIODS;
  const count = createCountJobs(deps);
  const find = createFindFigures(deps, count);
  function linksOf(namespace: string, { isAway }: Found): JobLinks {
    return history === undefined || isAway ? clusterLinks(namespace) : historyLinks(namespace);
  }
  /** Whether anything is wrong, and what is going on. */
  function nowOf(request: PageRequest, day: Found) {
    const { namespace, now } = request;
    const { project } = projectOf(caches.zipProjects, namespace);
    const counts = count(namespace, now);
    const limits = limitMeters(project, deps.jobs.usage.of(namespace));
    const ended = endedOf(counts, request, { ...day, links: linksOf(namespace, day) });
    return {
      findings: findingsOf({ project, current: counts.current, limits, isAway: day.isAway, ...ended }),
      current: currentView(namespace, counts.current),
      limits,
      className: project.status?.class?.name,
    };
  }
  return async (request: PageRequest) => {
    const { namespace, now } = request;
    const home = FORMAT.path('projects', namespace);
    const period = history === undefined ? DAY : periodOf(request.query.get('period'));
    const [found, day] = await find(request, period);
    const links = linksOf(namespace, found);
    const shown = found.figures && periodView(found.figures, { namespace, period, links, now });
    const hasStarted = await startedBefore(deps, request, shown);
    return {
      namespace,
      period,
      periods: periods.map((one) => ({
        label: one.label,
        href: `${home}?period=${one.value}`,
        isCurrent: one === period,
      })),
      isAway: found.isAway,
      ...nowOf(request, day),
      shown,
      /** The project has never had a job. While the history cannot be read, that is not certain. */
      isNew: hasStarted === false && !found.isAway,
      /** The page shows no job, and does not know whether there was one. */
      mayBeNew: hasStarted !== true,
      usageHref: history && `${home}/usage`,
    };
  };
}

/** Its lists from the API server take a place, as on the page of the first steps. */
async function guideOf(deps: PageDeps, request: PageRequest) {
  using _place = deps.takeList(request.user.name);
  return await readGuide(deps, request);
}

/** The overview of a project; its figures stay live. Before the first job, the first steps are in their place. */
export function createOverviewPage(deps: PageDeps): readonly Route[] {
  const { caches, history } = deps;
  const liveData = createLiveData(deps);
  return [
    {
      method: 'GET',
      path: '/projects/:project',
      needs: LIST_JOBS,
      handle: async (request) => {
        const project = projectOf(caches.zipProjects, request.namespace);
        const live = await liveData(request);
        const data = {
          ...project,
          ...live,
          links: linksOfProject(deps.links, request.namespace),
          guide: live.isNew ? await guideOf(deps, request) : undefined,
          liveEveryMs: history === undefined ? undefined : FIGURES_AGE_MS,
        };
        return { kind: 'page', view: '/overview/overview', title: project.title, section: 'overview', data };
      },
    },
    {
      method: 'GET',
      path: '/projects/:project/live/overview',
      needs: LIST_JOBS,
      handle: async (request) => ({
        kind: 'fragment',
        view: '/overview/overview-live',
        data: await liveData(request),
      }),
    },
  ];
}
