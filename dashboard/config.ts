import type { ConfigOf, Settings } from '#runtime/config.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { HTTP_SETTINGS } from '#runtime/http/settings.ts';
import { KUBE_SETTINGS } from '#runtime/kube/settings.ts';
import { readConfig } from '#runtime/read-config.ts';
import { REDIS_SETTINGS } from '#runtime/redis/settings.ts';
import { STORE_RULE_SETTINGS } from '#runtime/store/settings.ts';
import { TRUST_SETTINGS } from '#runtime/tls/settings.ts';
import { REQUEST_LIMIT_SETTINGS } from '#runtime/zip-request/settings.ts';

const ADDRESSES = {
  dashboardUrl: {
    env: 'DASHBOARD_URL',
    type: 'string',
    default: '',
    pattern: '^(https?://[^/?#@\\s]+)?$',
    description:
      'URL that browsers use for the dashboard, such as https://zipjobs.example.com; required for OpenID Connect',
  },
  dashboardApiUrl: {
    env: 'DASHBOARD_API_URL',
    type: 'string',
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:[\\]-]+(/[A-Za-z0-9._~-]+)*)?$',
    description:
      'public URL of the API without /v1/zips, for the sample request in the dashboard; empty for a placeholder',
  },
  dashboardAllowHttp: {
    env: 'DASHBOARD_ALLOW_HTTP',
    type: 'boolean',
    default: false,
    description: 'allows cookies over plain HTTP; use it only for a trial',
  },
} as const satisfies Settings;

const SESSIONS = {
  dashboardIdleMs: {
    env: 'DASHBOARD_IDLE_MS',
    type: 'integer',
    minimum: 1_000,
    maximum: 31_536_000_000,
    default: 1_800_000,
    description: 'idle timeout of a dashboard session, in milliseconds',
  },
  dashboardSessionMs: {
    env: 'DASHBOARD_SESSION_MS',
    type: 'integer',
    minimum: 1_000,
    maximum: 31_536_000_000,
    default: 43_200_000,
    description: 'maximum lifetime of a dashboard session, in milliseconds',
  },
  dashboardSessionsPerUser: {
    env: 'DASHBOARD_SESSIONS_PER_USER',
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 100,
    description: 'maximum dashboard sessions of a user; a further sign-in ends the oldest one',
  },
  dashboardRequestsPerMinute: {
    env: 'DASHBOARD_REQUESTS_PER_MINUTE',
    type: 'integer',
    minimum: 0,
    default: 600,
    description:
      'requests per minute and dashboard session, including those of open pages; further ones receive 429; 0 for no limit',
  },
  dashboardSignInsPerMinute: {
    env: 'DASHBOARD_SIGN_INS_PER_MINUTE',
    type: 'integer',
    minimum: 0,
    default: 20,
    description: 'sign-in attempts per minute and client address; 0 for no limit',
  },
} as const satisfies Settings;

const LIMITS = {
  dashboardRequestsInFlight: {
    env: 'DASHBOARD_REQUESTS_IN_FLIGHT',
    type: 'integer',
    minimum: 1,
    default: 512,
    description:
      'maximum concurrent requests; further ones receive 503, and one client address gets at most half',
  },
  dashboardListsInFlight: {
    env: 'DASHBOARD_LISTS_IN_FLIGHT',
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
    default: 16,
    description:
      'maximum concurrent requests that list buckets, access tokens or role bindings at the API server; further ones receive 503, and one user gets at most half',
  },
  dashboardFormBytesInFlight: {
    env: 'DASHBOARD_FORM_BYTES_IN_FLIGHT',
    type: 'integer',
    minimum: 1_024,
    default: 8 * 1_024 * 1_024,
    description:
      'maximum bytes of posted forms in memory; further requests receive 503, and one client address gets at most half',
  },
} as const satisfies Settings;

const OIDC = {
  dashboardOidcIssuer: {
    env: 'DASHBOARD_OIDC_ISSUER',
    type: 'string',
    default: '',
    pattern: '^(https://\\S+)?$',
    description: 'issuer of ID tokens, which the API server must trust; empty for sign-in with tokens only',
  },
  dashboardOidcClientId: {
    env: 'DASHBOARD_OIDC_CLIENT_ID',
    type: 'string',
    default: '',
    description: 'client ID of the dashboard',
  },
  dashboardOidcClientSecretFile: {
    env: 'DASHBOARD_OIDC_CLIENT_SECRET_FILE',
    type: 'string',
    default: '',
    description: 'file with the client secret; empty for a public client',
  },
  dashboardOidcScopes: {
    env: 'DASHBOARD_OIDC_SCOPES',
    type: 'array',
    default: ['openid', 'profile', 'email', 'groups'],
    description: 'requested scopes',
  },
  dashboardOidcCaFile: {
    env: 'DASHBOARD_OIDC_CA_FILE',
    type: 'string',
    default: '',
    description: 'PEM file with the CA of the issuer; empty for public CAs',
  },
} as const satisfies Settings;

const SHARED_READS = {
  dashboardSharedReadMs: {
    env: 'DASHBOARD_SHARED_READ_MS',
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    default: 1_000,
    description:
      'how long the sessions of a user share the result of reading a log or searching jobs, in milliseconds; 0 shares only reads in progress',
  },
  dashboardSharedReadBytes: {
    env: 'DASHBOARD_SHARED_READ_BYTES',
    type: 'integer',
    minimum: 0,
    default: 32 * 1_024 * 1_024,
    description:
      'maximum bytes of shared logs in memory, and the same for shared results of searches and for failing files of stored file lists; further ones are not kept',
  },
} as const satisfies Settings;

const JOB_PAGES = {
  dashboardBulkJobsMax: {
    env: 'DASHBOARD_BULK_JOBS_MAX',
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
    default: 100,
    description: 'maximum jobs that one dashboard form can cancel, rerun or resend webhooks for',
  },
  dashboardFileListBytes: {
    env: 'DASHBOARD_FILE_LIST_BYTES',
    type: 'integer',
    minimum: 0,
    default: 4 * 1_024 * 1_024,
    description:
      'maximum compressed bytes of a stored file list that the page of a failed job reads, with the token of the user, to show names and hosts of failing files; 0 reads none',
  },
} as const satisfies Settings;

const HISTORY_PAGES = {
  dashboardExportRows: {
    env: 'DASHBOARD_EXPORT_ROWS',
    type: 'integer',
    minimum: 1,
    maximum: 10_000_000,
    default: 100_000,
    description: 'maximum jobs in a CSV export',
  },
  dashboardExportsInFlight: {
    env: 'DASHBOARD_EXPORTS_IN_FLIGHT',
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 4,
    description:
      'maximum concurrent CSV exports of the history, and the same for jobs in the cluster; further ones receive 503, and one user gets at most half',
  },
  dashboardExportTimeoutMs: {
    env: 'DASHBOARD_EXPORT_TIMEOUT_MS',
    type: 'integer',
    minimum: 1_000,
    maximum: 3_600_000,
    default: 600_000,
    description: 'time limit of a CSV export, in milliseconds; then its connection is closed',
  },
  dashboardStatisticsTimeoutMs: {
    env: 'DASHBOARD_STATISTICS_TIMEOUT_MS',
    type: 'integer',
    minimum: 100,
    maximum: 60_000,
    default: 3_000,
    description:
      'how long the overview of a project waits for the figures of the history, in milliseconds; then the figures of 24 hours count the jobs in the cluster, and longer periods have none',
  },
  dashboardHistorySearchMs: {
    env: 'DASHBOARD_HISTORY_SEARCH_MS',
    type: 'integer',
    minimum: 100,
    maximum: 60_000,
    default: 2_000,
    description:
      'after this time, a search of the history shows what it has found and a link that continues it',
  },
  dashboardSearchesInFlight: {
    env: 'DASHBOARD_SEARCHES_IN_FLIGHT',
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
    default: 6,
    description:
      'maximum concurrent searches of the history; further ones receive 503, and one user, or one client address of the command line, gets at most half',
  },
  dashboardHistoryRequestsPerMinute: {
    env: 'DASHBOARD_HISTORY_REQUESTS_PER_MINUTE',
    type: 'integer',
    minimum: 0,
    default: 60,
    description:
      'requests of the command line for the history, per minute and client address; further ones receive 429; 0 for no limit',
  },
} as const satisfies Settings;

/** Every setting of the dashboard. */
export const DASHBOARD_SETTINGS = {
  ...HTTP_SETTINGS,
  ...ADDRESSES,
  ...SESSIONS,
  ...LIMITS,
  ...SHARED_READS,
  ...OIDC,
  ...JOB_PAGES,
  ...HISTORY_PAGES,
  ...STORE_RULE_SETTINGS,
  ...REQUEST_LIMIT_SETTINGS,
  ...EGRESS_SETTINGS,
  ...REDIS_SETTINGS,
  ...HISTORY_SETTINGS,
  ...TRUST_SETTINGS,
  ...KUBE_SETTINGS,
} as const satisfies Settings;
export type DashboardConfig = ConfigOf<typeof DASHBOARD_SETTINGS>;

/** @throws ConfigError that names every invalid variable */
export function readDashboardConfig(env: Readonly<Record<string, string | undefined>>): DashboardConfig {
  return readConfig(DASHBOARD_SETTINGS, env);
}
