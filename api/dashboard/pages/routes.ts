import type { Route } from '../page.ts';
import { createFirstStepsPage } from './first-steps.ts';
import { createJobPage } from './jobs/job-page.ts';
import { createJobsPage } from './jobs/jobs.ts';
import { createNewProjectPage } from './new-project.ts';
import { createOverviewPage } from './overview.ts';
import type { PageDeps } from './page-deps.ts';
import { createProjectsPage } from './projects.ts';

/** Every page. A new one is a file beside this one, a line here and, for the menu, one in frame/menu.ts. */
export const createRoutes = (deps: PageDeps): readonly Route[] => [
  ...createProjectsPage(deps),
  ...createNewProjectPage(),
  ...createOverviewPage(deps),
  ...createJobsPage(deps),
  ...createJobPage(deps),
  ...createFirstStepsPage(deps),
];
