import type { Caches } from '#api/caches.ts';
import type { Clock } from '#runtime/clock.ts';
import type { KnownJobs } from '../live/known-jobs.ts';
import type { ListedJob } from '../live/listed-job.ts';
import type { DashboardSettings } from '../settings.ts';

/** Dependencies of the pages. Lists come from the caches, after a check of the user's permissions. */
export interface PageDeps {
  readonly caches: Pick<Caches<ListedJob>, 'zipJobs' | 'zipProjects'>;
  readonly jobs: Pick<KnownJobs, 'order' | 'samples'>;
  /** Called with the UID of each revoked token. */
  readonly onRevoked: (uid: string) => void;
  readonly clock: Clock;
  readonly config: Pick<DashboardSettings, 'dashboardApiUrl'>;
}
