import type { Route } from '../page.ts';
import type { PageDeps } from './page-deps.ts';
import { projectOf } from './project-of.ts';

/** How a project makes its first archive. */
export const createFirstStepsPage = ({ caches }: PageDeps): readonly Route[] => [
  {
    method: 'GET',
    path: '/projects/:project/first-steps',
    handle: async ({ namespace }) => ({
      kind: 'page',
      view: '/pages/first-steps',
      title: 'First steps',
      section: 'first-steps',
      data: projectOf(caches.zipProjects, namespace),
    }),
  },
];
