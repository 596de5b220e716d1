import type { Clock } from '#runtime/clock.ts';
import type { Caches } from '../../caches.ts';
import type { KnownJobs } from '../live/known-jobs.ts';
import type { Route } from '../page.ts';
import { createFirstStepsPage } from './first-steps.ts';
import { createJobPage } from './jobs/job-page.ts';
import { createJobsPage } from './jobs/jobs.ts';
import { createNewProjectPage } from './new-project.ts';
import { createOverviewPage } from './overview.ts';
import { createProjectsPage } from './projects.ts';

/** What pages are made of. Lists come from the caches, after asking whether the person may see them. */
export interface PageDeps {
  readonly caches: Pick<Caches, 'zipJobs' | 'zipProjects'>;
  readonly jobs: Pick<KnownJobs, 'order' | 'samples'>;
  readonly clock: Clock;
}

/** Every page. A new one is a file beside this one, a line here and, for the menu, one in frame/menu.ts. */
export const createRoutes = (deps: PageDeps): readonly Route[] => [
  ...createProjectsPage(deps),
  ...createNewProjectPage(),
  ...createOverviewPage(deps),
  ...createJobsPage(deps),
  ...createJobPage(deps),
  ...createFirstStepsPage(deps),
];
