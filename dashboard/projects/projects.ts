import { toWebhooks } from '#administration/webhooks/webhook-view.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { inBatches } from '#runtime/collections/in-batches.ts';
import type { Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { clusterLinks } from '../overview/job-links.ts';
import { FORMAT } from '../ui/format.ts';
import { paged } from '../ui/paged.ts';
import type { Look } from '../ui/words.ts';
import type { Question } from '../user/access.ts';
import type { User } from '../user/user.ts';
import { type VisibleProject, visibleProjects } from '../user/visible-projects.ts';
import { webhookBadge } from '../webhook/webhook-badge.ts';
import { type ProjectJobs, projectJobs } from './project-jobs.ts';
import { type MayListJobs, newestFailuresOf } from './recent-failures.ts';

type Deps = Pick<PageDeps, 'caches' | 'jobs' | 'history'>;

const LIST_JOBS: Question = { verb: 'list', resource: 'zipjobs' };
/** Access reviews that run at the same time. */
const AT_A_TIME = 16;

interface Badge {
  readonly look: Look;
  readonly text: string;
  readonly reason?: string;
}

/** Undefined for a project that works. */
function stateOf({ metadata, status }: ZipProject): Badge | undefined {
  if (metadata.deletionTimestamp !== undefined) return { look: 'warn', text: 'Deleting' };
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status === 'True') return undefined;
  const reason = ready?.message ?? 'The controller has not reconciled it yet.';
  return { look: 'warn', text: 'Not ready', reason };
}

/** What a user has to know of a project besides its jobs. */
function badgesOf(project: ZipProject): readonly Badge[] {
  const state = stateOf(project);
  const webhook = toWebhooks(project)
    .map(webhookBadge)
    .find(({ look }) => look === 'bad');
  return [
    ...(state === undefined ? [] : [state]),
    ...(webhook ? [{ look: webhook.look, text: `Webhook: ${webhook.text.toLowerCase()}` }] : []),
  ];
}

function jobsOf(namespace: string, { failedSince, failed, isFailing, lastJobAt, ...counts }: ProjectJobs) {
  return {
    running: FORMAT.number(counts.running),
    waiting: FORMAT.number(counts.waiting),
    failed: {
      text: FORMAT.number(failed),
      href: clusterLinks(namespace)({ state: 'Failed', fromMs: failedSince }),
    },
    isFailing,
    lastJobAt,
  };
}

/** A review for each namespace, unless the user has the right in the entire cluster. */
async function createMayListJobs(user: User): Promise<MayListJobs> {
  const everywhere = (await user.may('', LIST_JOBS)).allowed;
  const asked = new Map<string, ReturnType<User['may']>>();
  return async (namespace) => {
    if (everywhere) return true;
    const verdict = asked.get(namespace) ?? user.may(namespace, LIST_JOBS);
    asked.set(namespace, verdict);
    return (await verdict).allowed;
  };
}

function createRowOf(deps: Deps, mayList: MayListJobs, now: Date) {
  return async ({ namespace, title, project }: VisibleProject) => ({
    href: FORMAT.path('projects', namespace),
    title,
    namespace,
    badges: badgesOf(project),
    /** Undefined for a user who must not list them. */
    jobs: (await mayList(namespace)) ? jobsOf(namespace, projectJobs(deps, namespace, now)) : undefined,
  });
}

/** True if the title or the namespace contains the text, in any case. */
function contains({ title, namespace }: VisibleProject, text: string): boolean {
  return `${title}\n${namespace}`.toLowerCase().includes(text.toLowerCase());
}

/** Projects from which the list has a filter: fewer are seen at once. */
const FILTER_FROM = 10;

/** The list of projects that the user is allowed to see, with their jobs. */
export function createProjectsPage(deps: Deps): readonly Route[] {
  const { caches } = deps;
  return [
    {
      method: 'GET',
      path: '/projects',
      handle: async ({ user, query, now }) => {
        const projects = await visibleProjects(caches.zipProjects, user, { isMenu: false });
        const text = (query.get('q') ?? '').trim();
        const found = projects.filter((one) => contains(one, text));
        const { rows, paging } = paged(found, '/projects', query);
        const mayList = await createMayListJobs(user);
        return {
          kind: 'page',
          view: '/projects/projects',
          title: 'Projects',
          section: 'projects',
          data: {
            form: { values: { q: text }, errors: {} },
            isFiltered: text !== '',
            hasProjects: projects.length > 0,
            hasFilter: text !== '' || projects.length >= FILTER_FROM,
            hasHistory: deps.history !== undefined,
            rows: await inBatches(rows, AT_A_TIME, createRowOf(deps, mayList, now)),
            paging,
            failures:
              projects.length > 1 ? await newestFailuresOf(deps, projects, { mayList, now }) : undefined,
          },
        };
      },
    },
  ];
}
