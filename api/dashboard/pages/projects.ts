import type { Route } from '../page.ts';
import { visibleProjects } from '../person/visible-projects.ts';
import { CREATE_PROJECT } from './new-project.ts';
import type { PageDeps } from './routes.ts';

/** The projects that the person may see. */
export const createProjectsPage = ({ caches }: Pick<PageDeps, 'caches'>): readonly Route[] => [
  {
    method: 'GET',
    path: '/projects',
    handle: async ({ person, now }) => {
      const projects = await visibleProjects(caches.zipProjects, person, { isMenu: false });
      const { allowed: mayCreateAnywhere } = await person.may('', CREATE_PROJECT);
      return {
        kind: 'page',
        view: '/pages/projects',
        title: 'Projects',
        section: 'projects',
        data: { projects, now, mayCreateAnywhere },
      };
    },
  },
];
