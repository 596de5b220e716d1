import type { Route } from '../page.ts';
import { visibleProjects } from '../user/visible-projects.ts';
import type { PageDeps } from './page-deps.ts';

/** The list of projects that the user is allowed to see. */
export const createProjectsPage = ({ caches }: Pick<PageDeps, 'caches'>): readonly Route[] => [
  {
    method: 'GET',
    path: '/projects',
    handle: async ({ user }) => {
      const projects = await visibleProjects(caches.zipProjects, user, { isMenu: false });
      return {
        kind: 'page',
        view: '/pages/projects',
        title: 'Projects',
        section: 'projects',
        data: { projects },
      };
    },
  },
];
