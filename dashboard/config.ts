import type { ConfigOf, Settings } from '#runtime/config/config.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { HISTORY_CONSTANTS, HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { HTTP_CONSTANTS, HTTP_SETTINGS } from '#runtime/http/settings.ts';
import { OBJECT_METADATA_SETTINGS } from '#runtime/kube/client/object-metadata.ts';
import { KUBE_CONSTANTS, KUBE_SETTINGS } from '#runtime/kube/client/settings.ts';
import { REDIS_CONSTANTS, REDIS_SETTINGS } from '#runtime/redis/settings.ts';
import { STORE_RULE_SETTINGS } from '#runtime/store/settings.ts';
import { TRUST_CONSTANTS, TRUST_SETTINGS } from '#runtime/tls/settings.ts';
import { WEBHOOK_BODY_SETTINGS } from '#runtime/webhook/settings.ts';
import { REQUEST_LIMIT_CONSTANTS, REQUEST_LIMIT_SETTINGS } from '#runtime/zip-request/settings.ts';
import { EXTERNAL_LINK_SETTINGS } from './ui/external-links.ts';

const ADDRESSES = {
  dashboardUrl: {
    env: 'DASHBOARD_URL',
    type: 'string',
    default: '',
    pattern: '^(https?://[^/?#@\\s]+)?$',
    description:
      'URL that browsers use for the dashboard, such as https://zipjobs.example.com; required for OpenID Connect',
    changeWhen:
      'set it when users sign in with OpenID Connect, or forms are rejected because of their origin',
  },
  dashboardApiUrl: {
    env: 'DASHBOARD_API_URL',
    type: 'string',
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:[\\]-]+(/[A-Za-z0-9._~-]+)*)?$',
    description:
      'public URL of the API without /v1/zips, for the sample request in the dashboard; empty for a placeholder; default in the chart: the first host and the path of the API',
    changeWhen: 'set it when the sample request of the first steps has a placeholder or another address',
  },
  dashboardApiAdminUrl: {
    env: 'DASHBOARD_API_ADMIN_URL',
    type: 'string',
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:[\\]-]+)?$',
    description:
      'URL of the admin port of the API for the refused requests, whose host name has the addresses of all API processes; empty for no page of them; default in the chart: a headless Service',
    changeWhen: 'set it when the page of refused requests cannot find the API',
  },
  dashboardApiTokenFile: {
    env: 'DASHBOARD_API_TOKEN_FILE',
    type: 'string',
    default: '/etc/zipjobs/api-token/token',
    description: 'file with a token of the service account for the audience zipjobs-api',
    setBy: 'the chart, which mounts it',
  },
  dashboardAllowHttp: {
    env: 'DASHBOARD_ALLOW_HTTP',
    type: 'boolean',
    default: false,
    description: 'allows cookies over plain HTTP; use it only for a trial',
    changeWhen: 'set it when a trial has no TLS, and users cannot sign in',
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
    changeWhen: 'lower it when unattended browsers are a risk; raise it when users sign in too often',
  },
  dashboardSessionMs: {
    env: 'DASHBOARD_SESSION_MS',
    type: 'integer',
    minimum: 1_000,
    maximum: 31_536_000_000,
    default: 43_200_000,
    description: 'maximum lifetime of a dashboard session, in milliseconds',
    changeWhen: 'lower it when unattended browsers are a risk; raise it when users sign in too often',
  },
  dashboardRequestsPerMinute: {
    env: 'DASHBOARD_REQUESTS_PER_MINUTE',
    type: 'integer',
    minimum: 0,
    default: 600,
    description:
      'requests per minute and dashboard session, including those of open pages; further ones receive 429; 0 for no limit',
    changeWhen: 'raise it when users with many open pages get 429',
  },
  dashboardSignInsPerMinute: {
    env: 'DASHBOARD_SIGN_INS_PER_MINUTE',
    type: 'integer',
    minimum: 0,
    default: 20,
    description: 'sign-in attempts per minute and client address; 0 for no limit',
    changeWhen: 'raise it when users behind one address cannot sign in (429)',
  },
} as const satisfies Settings;

const OIDC = {
  dashboardOidcIssuer: {
    env: 'DASHBOARD_OIDC_ISSUER',
    type: 'string',
    default: '',
    pattern: '^(https://\\S+)?$',
    description: 'issuer of ID tokens, which the API server must trust; empty for sign-in with tokens only',
    changeWhen: 'set it when users should sign in with OpenID Connect',
  },
  dashboardOidcClientId: {
    env: 'DASHBOARD_OIDC_CLIENT_ID',
    type: 'string',
    default: '',
    description: 'client ID of the dashboard',
    changeWhen: 'set it when users should sign in with OpenID Connect',
  },
  dashboardOidcClientSecretFile: {
    env: 'DASHBOARD_OIDC_CLIENT_SECRET_FILE',
    type: 'string',
    default: '',
    description: 'file with the client secret; empty for a public client',
    setBy: 'the chart, which mounts the Secret',
  },
  dashboardOidcScopes: {
    env: 'DASHBOARD_OIDC_SCOPES',
    type: 'array',
    default: ['openid', 'profile', 'email', 'groups'],
    description: 'requested scopes',
    changeWhen: 'change it when the ID token lacks the groups of users',
  },
  dashboardOidcCaFile: {
    env: 'DASHBOARD_OIDC_CA_FILE',
    type: 'string',
    default: '',
    description: 'PEM file with the CA of the issuer; empty for public CAs',
    setBy: 'the chart, which mounts the Secret',
  },
} as const satisfies Settings;

const HISTORY_PAGES = {
  dashboardHistoryRequestsPerMinute: {
    env: 'DASHBOARD_HISTORY_REQUESTS_PER_MINUTE',
    type: 'integer',
    minimum: 0,
    default: 60,
    description:
      'requests of the command line for the history, per minute and client address; further ones receive 429; 0 for no limit',
    changeWhen: 'raise it when commands behind one address get 429',
  },
} as const satisfies Settings;

/** Every setting of the dashboard. */
export const DASHBOARD_SETTINGS = {
  ...HTTP_SETTINGS,
  ...ADDRESSES,
  ...EXTERNAL_LINK_SETTINGS,
  ...SESSIONS,
  ...OIDC,
  ...HISTORY_PAGES,
  ...WEBHOOK_BODY_SETTINGS,
  ...STORE_RULE_SETTINGS,
  ...REQUEST_LIMIT_SETTINGS,
  ...EGRESS_SETTINGS,
  ...REDIS_SETTINGS,
  ...HISTORY_SETTINGS,
  ...TRUST_SETTINGS,
  ...KUBE_SETTINGS,
  ...OBJECT_METADATA_SETTINGS,
} as const satisfies Settings;

export const DASHBOARD_CONSTANTS = {
  ...HTTP_CONSTANTS,
  ...REQUEST_LIMIT_CONSTANTS,
  ...REDIS_CONSTANTS,
  ...HISTORY_CONSTANTS,
  ...TRUST_CONSTANTS,
  ...KUBE_CONSTANTS,
  /** Sessions of a user; a further sign-in ends the oldest one, so that scripts cannot fill the store. */
  dashboardSessionsPerUser: 100,
  /** Requests at the same time; further ones receive 503, and one client address gets at most half. */
  dashboardRequestsInFlight: 512,
  /** Requests at the same time that list buckets, tokens or role bindings at the API server; one user gets at most half. */
  dashboardListsInFlight: 16,
  /** Bytes of posted forms in memory; one client address gets at most half. */
  dashboardFormBytesInFlight: 8 * 1_024 * 1_024,
  /** How long the sessions of a user share the result of reading a log or searching jobs: as long as pages are polled. */
  dashboardSharedReadMs: 1_000,
  /** Bytes of shared logs in memory, and the same for results of searches and for failing files of stored file lists. */
  dashboardSharedReadBytes: 32 * 1_024 * 1_024,
  /** Jobs that one form can cancel, rerun or resend webhooks for: more take longer than a browser waits. */
  dashboardBulkJobsMax: 100,
  /** Compressed bytes of a file list that the page of a failed job reads to show names of failing files. */
  dashboardFileListBytes: 4 * 1_024 * 1_024,
  /** Jobs in a CSV export: more are a task for the database, and spreadsheets stop at ten times as many. */
  dashboardExportRows: 100_000,
  /** CSV exports of the history at the same time, and the same for jobs in the cluster; one user gets at most half. */
  dashboardExportsInFlight: 4,
  /** Time limit of a CSV export: its cursor keeps the database from cleaning up. */
  dashboardExportTimeoutMs: 600_000,
  /** How long the overview waits for the figures of the history; then it shows those of the jobs in the cluster. */
  dashboardStatisticsTimeoutMs: 3_000,
  /** After this time, a search of the history shows what it has found and a link that continues it. */
  dashboardHistorySearchMs: 2_000,
  /** Searches of the history at the same time: fewer than the connections of the database. One user gets at most half. */
  dashboardSearchesInFlight: 6,
};
export type DashboardConfig = ConfigOf<typeof DASHBOARD_SETTINGS> & ValuesOf<typeof DASHBOARD_CONSTANTS>;

/** @throws ConfigError that names every invalid variable */
export function readDashboardConfig(env: Readonly<Record<string, string | undefined>>): DashboardConfig {
  return readConfig(DASHBOARD_SETTINGS, env, DASHBOARD_CONSTANTS);
}
