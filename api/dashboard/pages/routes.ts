import type { Caches } from '../../caches.ts';
import type { Route } from '../page.ts';
import { createFirstStepsPage } from './first-steps.ts';
import { createNewProjectPage } from './new-project.ts';
import { createOverviewPage } from './overview.ts';
import { createProjectsPage } from './projects.ts';

/** What pages are made of. Lists come from the caches, after asking whether the person may see them. */
export interface PageDeps {
  readonly caches: Pick<Caches, 'zipJobs' | 'zipProjects'>;
}

/** Every page. A new one is a file beside this one, a line here and, for the menu, one in frame/menu.ts. */
export const createRoutes = (deps: PageDeps): readonly Route[] => [
  ...createProjectsPage(deps),
  ...createNewProjectPage(),
  ...createOverviewPage(deps),
  ...createFirstStepsPage(deps),
];
