import type { Caches } from '#api/caches.ts';
import type { KnownJobs } from '../live/known-jobs.ts';
import type { DashboardSettings } from '../settings.ts';

/** Dependencies of the pages. Lists come from the caches, after a check of the user's permissions. */
export interface PageDeps {
  readonly caches: Pick<Caches, 'zipJobs' | 'zipProjects'>;
  readonly jobs: Pick<KnownJobs, 'order' | 'samples'>;
  readonly config: Pick<DashboardSettings, 'dashboardApiUrl'>;
}
