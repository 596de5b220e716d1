import { toWebhook } from '#administration/webhooks/webhook-view.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { FORMAT } from '../ui/format.ts';
import { paged } from '../ui/paged.ts';
import type { Look } from '../ui/words.ts';
import { type VisibleProject, visibleProjects } from '../user/visible-projects.ts';
import { webhookBadge } from '../webhook/webhook-badge.ts';

interface Badge {
  readonly look: Look;
  readonly text: string;
  readonly reason?: string;
}

function stateOf({ metadata, status }: ZipProject): Badge {
  if (metadata.deletionTimestamp !== undefined) return { look: 'warn', text: 'Deleting' };
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status === 'True') return { look: 'good', text: 'Ready' };
  const reason = ready?.message ?? 'The controller has not reconciled it yet.';
  return { look: 'warn', text: 'Not ready', reason };
}

function rowOf({ namespace, title, project }: VisibleProject) {
  return {
    href: FORMAT.path('projects', namespace),
    title,
    namespace,
    state: stateOf(project),
    webhook: webhookBadge(toWebhook(project)),
  };
}

/** True if the title or the namespace contains the text, in any case. */
function contains({ title, namespace }: VisibleProject, text: string): boolean {
  return `${title}\n${namespace}`.toLowerCase().includes(text.toLowerCase());
}

/** Projects from which the list has a filter: fewer are seen at once. */
const FILTER_FROM = 10;

/** The list of projects that the user is allowed to see. */
export function createProjectsPage({ caches }: Pick<PageDeps, 'caches'>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/projects',
      handle: async ({ user, query }) => {
        const projects = await visibleProjects(caches.zipProjects, user, { isMenu: false });
        const text = (query.get('q') ?? '').trim();
        const found = projects.filter((one) => contains(one, text));
        const { rows, paging } = paged(found, '/projects', query);
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
            rows: rows.map(rowOf),
            paging,
          },
        };
      },
    },
  ];
}
