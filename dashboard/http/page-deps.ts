import type { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { DashboardConfig } from '../config.ts';
import type { History } from '../history/history-reader.ts';
import type { Caches } from '../live/caches.ts';
import type { KnownJobs } from '../live/known-jobs.ts';
import type { DashboardMetrics } from '../metrics.ts';
import type { HasStarted } from '../projects/has-started.ts';
import type { ReadRefused } from '../refused/refused-reader.ts';
import type { ExternalLink } from '../ui/external-links.ts';
import type { TakePlace } from '../user/user-places.ts';

/** Dependencies of the pages. Lists come from the caches, after a check of the user's permissions. */
export interface PageDeps {
  readonly caches: Pick<Caches, 'zipJobs' | 'zipProjects'>;
  readonly jobs: Pick<
    KnownJobs,
    'order' | 'testOrder' | 'ended' | 'choices' | 'deliveries' | 'samples' | 'usage'
  >;
  readonly config: Pick<
    DashboardConfig,
    | 'dashboardApiUrl'
    | 'errorHelpUrl'
    | 'storeAllowedHosts'
    | 'storeAllowHttp'
    | 'maxFiles'
    | 'maxUrlLength'
    | 'maxKeyBytes'
    | 'kubernetesHost'
    | keyof typeof EGRESS_SETTINGS
    | 'dashboardSharedReadMs'
    | 'dashboardSharedReadBytes'
    | 'dashboardFileListBytes'
    | 'dashboardBulkJobsMax'
    | 'dashboardExportRows'
    | 'dashboardExportsInFlight'
    | 'dashboardExportTimeoutMs'
    | 'dashboardStatisticsTimeoutMs'
    | 'workTimeoutMs'
  >;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly metrics: Pick<DashboardMetrics, 'sharedReads' | 'overloads'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Undefined without a history database. */
  readonly history: History | undefined;
  /** Undefined without the address of the API. */
  readonly readRefused: ReadRefused | undefined;
  readonly hasStarted: HasStarted;
  /** To logs and metrics elsewhere. */
  readonly links: readonly ExternalLink[];
  /** A place for a search of the history. */
  readonly takeSearch: TakePlace;
  /** A place for lists that the API server sends for a page. */
  readonly takeList: TakePlace;
}
