import { createBucketPage } from './buckets/bucket.ts';
import { createBucketCredentialsPage } from './buckets/bucket-credentials.ts';
import { createBucketFilesPage } from './buckets/bucket-files.ts';
import { createBucketsPage } from './buckets/buckets.ts';
import { createDeleteBucketPage } from './buckets/delete-bucket.ts';
import { createEditBucketPage } from './buckets/edit-bucket.ts';
import { createNewBucketPage } from './buckets/new-bucket.ts';
import { createFirstStepsPage } from './first-steps/first-steps.ts';
import { createHistoryExport } from './history/export-jobs.ts';
import { createHistoryPage } from './history/history.ts';
import { createUsagePage } from './history/usage.ts';
import type { Route } from './http/page.ts';
import type { PageDeps } from './http/page-deps.ts';
import { createBulkJobs } from './jobs/bulk/bulk-jobs.ts';
import { createJobsExport } from './jobs/export-listed-jobs.ts';
import { createJobPage } from './jobs/job-page.ts';
import { createFindJob } from './jobs/job-search.ts';
import { createJobsPage } from './jobs/jobs.ts';
import { createNewJobPage } from './new-job/new-job.ts';
import { createOverviewPage } from './overview/overview.ts';
import { createNewProjectPage } from './projects/new-project.ts';
import { createProjectsPage } from './projects/projects.ts';
import { createRefusedPage } from './refused/refused.ts';
import { createDeleteProjectPage } from './settings/delete-project.ts';
import { createPurgeHistoryPage } from './settings/purge-history.ts';
import { createSettingPages } from './settings/setting-pages.ts';
import { createSettingsPage } from './settings/settings.ts';
import { createNewTokenPage } from './tokens/new-token.ts';
import { createRevokeTokenPage } from './tokens/revoke-token.ts';
import { createTokensPage } from './tokens/tokens.ts';
import { withPlace } from './user/user-places.ts';
import { createDeliveriesPage } from './webhook/deliveries.ts';
import { createDeliveryPage } from './webhook/delivery.ts';
import { createNewEndpointPage } from './webhook/new-endpoint.ts';
import { createRemoveWebhookPage } from './webhook/remove-webhook.ts';
import { createResendPage } from './webhook/resend.ts';
import { createRotateSecretPage } from './webhook/rotate-secret.ts';
import { createVerifyWebhookPage } from './webhook/verify-webhook.ts';
import { createWebhookPage } from './webhook/webhook.ts';
import { createWebhookChanges } from './webhook/webhook-changes.ts';

function historyRoutes(deps: PageDeps): readonly Route[] {
  return deps.history === undefined
    ? []
    : [
        ...createHistoryPage(deps, deps.history).map(withPlace(deps.takeSearch)),
        ...createHistoryExport(deps, deps.history),
        ...createUsagePage(deps, deps.history),
      ];
}

/** Their responses from the API server, or from the API, may be large. */
function listingRoutes(deps: PageDeps): readonly Route[] {
  return [
    ...createBucketsPage(),
    ...createBucketFilesPage(),
    ...createDeleteBucketPage(deps),
    ...createTokensPage(),
    ...(deps.readRefused === undefined ? [] : createRefusedPage(deps.readRefused)),
    ...createRevokeTokenPage(),
    ...createSettingsPage(deps),
    ...createDeleteProjectPage(deps),
    ...createNewJobPage(deps),
    ...createFirstStepsPage(deps),
  ].map(withPlace(deps.takeList));
}

function settingsRoutes(deps: PageDeps): readonly Route[] {
  return [...createSettingPages(), ...(deps.history === undefined ? [] : createPurgeHistoryPage())];
}

/** Every page. To add one, create its file in the folder of its menu item, list it here and, for the menu, in ui/menu.ts. */
export function createRoutes(deps: PageDeps): readonly Route[] {
  return [
    ...createProjectsPage(deps),
    ...createNewProjectPage(),
    ...createFindJob(deps),
    ...createOverviewPage(deps),
    ...createJobsPage(deps),
    ...createJobsExport(deps),
    ...createBulkJobs(deps),
    ...createJobPage(deps),
    ...historyRoutes(deps),
    ...createNewBucketPage(deps),
    ...createBucketPage(),
    ...createBucketCredentialsPage(),
    ...createEditBucketPage(deps),
    ...createNewTokenPage(),
    ...createWebhookPage(deps),
    ...createNewEndpointPage(),
    ...createDeliveriesPage(deps),
    ...createDeliveryPage(deps.config),
    ...createVerifyWebhookPage(deps),
    ...createWebhookChanges(deps),
    ...createResendPage(deps),
    ...createRotateSecretPage(),
    ...createRemoveWebhookPage(),
    ...settingsRoutes(deps),
    ...listingRoutes(deps),
  ];
}
