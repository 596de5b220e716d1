import type { Caches } from '#api/caches.ts';
import type { Clock } from '#runtime/clock.ts';
import type { KnownJobs } from '../live/known-jobs.ts';
import type { DashboardSettings } from '../settings.ts';

/** What pages are made of. Lists come from the caches, after asking whether the person may see them. */
export interface PageDeps {
  readonly caches: Pick<Caches, 'zipJobs' | 'zipProjects'>;
  readonly jobs: Pick<KnownJobs, 'order' | 'samples'>;
  /** Told the uid of each token that was revoked. */
  readonly onRevoked: (uid: string) => void;
  readonly clock: Clock;
  readonly config: Pick<DashboardSettings, 'dashboardApiUrl'>;
}
