import type { ConfigOf, Settings } from '#runtime/config.ts';

const SERVED = {
  dashboardEnabled: {
    env: 'DASHBOARD_ENABLED',
    type: 'boolean',
    default: false,
    description: 'whether the web dashboard is served',
  },
  dashboardPort: {
    env: 'DASHBOARD_PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 8081,
    description: 'port of the web dashboard',
  },
  dashboardUrl: {
    env: 'DASHBOARD_URL',
    type: 'string',
    default: '',
    pattern: '^(https?://[^/?#@\\s]+)?$',
    description:
      'scheme and host by which browsers reach the dashboard, such as https://zips.example.com; needed for OpenID Connect',
  },
  dashboardApiUrl: {
    env: 'DASHBOARD_API_URL',
    type: 'string',
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:[\\]-]+)?$',
    description:
      'scheme and host by which programs reach the API, for the request that the dashboard shows; empty for a placeholder',
  },
  dashboardAllowHttp: {
    env: 'DASHBOARD_ALLOW_HTTP',
    type: 'boolean',
    default: false,
    description: 'whether cookies are sent over plain HTTP too; only for trying it out',
  },
} as const satisfies Settings;

const SESSIONS = {
  dashboardIdleMs: {
    env: 'DASHBOARD_IDLE_MS',
    type: 'integer',
    minimum: 1_000,
    default: 1_800_000,
    description: 'how long a dashboard session lasts without a request, in milliseconds',
  },
  dashboardSessionMs: {
    env: 'DASHBOARD_SESSION_MS',
    type: 'integer',
    minimum: 1_000,
    default: 43_200_000,
    description: 'how long a dashboard session lasts at most, in milliseconds',
  },
  dashboardSignInsPerMinute: {
    env: 'DASHBOARD_SIGN_INS_PER_MINUTE',
    type: 'integer',
    minimum: 0,
    default: 20,
    description: 'sign-ins that one client address may try in a minute; 0 for no limit',
  },
} as const satisfies Settings;

const OIDC = {
  dashboardOidcIssuer: {
    env: 'DASHBOARD_OIDC_ISSUER',
    type: 'string',
    default: '',
    pattern: '^(https://\\S+)?$',
    description:
      'issuer of the ID tokens that the API server trusts; empty for sign-in with pasted tokens only',
  },
  dashboardOidcClientId: {
    env: 'DASHBOARD_OIDC_CLIENT_ID',
    type: 'string',
    default: '',
    description: 'client id of the dashboard at the issuer',
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
    description: 'scopes that are asked for',
  },
  dashboardOidcCaFile: {
    env: 'DASHBOARD_OIDC_CA_FILE',
    type: 'string',
    default: '',
    description: "file with the authority of the issuer's certificate (PEM); empty for the well-known ones",
  },
} as const satisfies Settings;

export const DASHBOARD_SETTINGS = { ...SERVED, ...SESSIONS, ...OIDC } as const satisfies Settings;
export type DashboardSettings = ConfigOf<typeof DASHBOARD_SETTINGS>;
