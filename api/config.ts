import { DASHBOARD_SETTINGS } from '#dashboard/settings.ts';
import { type ConfigOf, readConfig, type Settings } from '#runtime/config.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { KUBE_SETTINGS } from '#runtime/kube/settings.ts';
import { LOG_LEVELS } from '#runtime/log.ts';
import { REDIS_SETTINGS } from '#runtime/redis/settings.ts';
import { RATE_LIMIT_SETTINGS } from './rate-limits/settings.ts';

const SERVER = {
  host: { env: 'HOST', type: 'string', default: '0.0.0.0', description: 'address to listen on' },
  port: {
    env: 'PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 8080,
    description: 'port of the API',
  },
  adminPort: {
    env: 'ADMIN_PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 9090,
    description: 'port of health and metrics',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    type: 'string',
    enum: LOG_LEVELS,
    default: 'info',
    description: 'least level of what is logged',
  },
  instance: {
    env: 'INSTANCE',
    type: 'string',
    default: 'zipjobs',
    pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$',
    description: 'name of the Helm release, for the label app.kubernetes.io/instance',
  },
  helpUrl: {
    env: 'HELP_URL',
    type: 'string',
    default: '/docs',
    description: 'page that explains the codes of failed jobs, for the help links of ?expand=error',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    type: 'array',
    default: [],
    description: 'CIDRs of proxies whose X-Forwarded-For and X-Forwarded-Proto count',
  },
} as const satisfies Settings;

const milliseconds = <const E extends string, const D extends number>(
  env: E,
  defaultMs: D,
  description: string,
) => ({
  env,
  type: 'integer' as const,
  minimum: 1,
  default: defaultMs,
  description: `${description}, in milliseconds`,
});

const TIMES = {
  headersTimeoutMs: milliseconds(
    'HEADERS_TIMEOUT_MS',
    10_000,
    'how long a client may take to send its headers',
  ),
  requestTimeoutMs: milliseconds(
    'REQUEST_TIMEOUT_MS',
    30_000,
    'how long a client may take to send its request',
  ),
  timeoutCheckMs: milliseconds('TIMEOUT_CHECK_MS', 500, 'how often the two limits above are checked'),
  keepAliveTimeoutMs: milliseconds(
    'KEEP_ALIVE_TIMEOUT_MS',
    75_000,
    'how long an idle connection is kept; longer than the load balancer keeps it',
  ),
  bodyLingerMs: milliseconds(
    'BODY_LINGER_MS',
    2_000,
    'how long a body that is too large is read on, so that the client gets the answer',
  ),
  workTimeoutMs: milliseconds(
    'WORK_TIMEOUT_MS',
    10_000,
    'limit of all calls to the API server for one request',
  ),
  tokenFreshMs: milliseconds('TOKEN_FRESH_MS', 1_000, 'age after which a token is proved again'),
  tokenStaleMs: milliseconds(
    'TOKEN_STALE_MS',
    10_000,
    'age up to which a proof counts while the API server is away',
  ),
  tokenProofTimeoutMs: milliseconds('TOKEN_PROOF_TIMEOUT_MS', 2_000, 'limit of proving a token'),
  lastUsedIntervalMs: milliseconds(
    'LAST_USED_INTERVAL_MS',
    3_600_000,
    "how often a token's time of last use is written at most",
  ),
  shutdownPauseMs: {
    ...milliseconds(
      'SHUTDOWN_PAUSE_MS',
      3_000,
      'how long new connections are still taken after SIGTERM, until the load balancer has noticed',
    ),
    minimum: 0,
  },
  shutdownDrainMs: milliseconds('SHUTDOWN_DRAIN_MS', 5_000, 'how long requests in hand may take to end'),
} as const satisfies Settings;

const LIMITS = {
  maxBodyBytes: {
    env: 'MAX_BODY_BYTES',
    type: 'integer',
    minimum: 1_024,
    maximum: 64 * 1_024 * 1_024,
    default: 16 * 1_024 * 1_024,
    description: 'largest request body',
  },
  maxFiles: {
    env: 'MAX_FILES',
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 10_000,
    description: 'most files of one archive',
  },
  maxUrlLength: {
    env: 'MAX_URL_LENGTH',
    type: 'integer',
    minimum: 64,
    maximum: 16_384,
    default: 2_048,
    description: 'longest URL of a source, in characters',
  },
  maxKeyBytes: {
    env: 'MAX_KEY_BYTES',
    type: 'integer',
    minimum: 1,
    maximum: 1_024,
    default: 1_024,
    description: 'longest object key, in bytes of UTF-8',
  },
  maxMetadataBytes: {
    env: 'MAX_METADATA_BYTES',
    type: 'integer',
    minimum: 2,
    maximum: 16_384,
    default: 16_384,
    description: 'longest metadata, in bytes of JSON text',
  },
  maxBodyBytesInFlight: {
    env: 'MAX_BODY_BYTES_IN_FLIGHT',
    type: 'integer',
    minimum: 1_024,
    default: 48 * 1_024 * 1_024,
    description:
      'most bytes of request bodies that are in memory at a time; further requests are answered 503',
  },
  maxCreatesInFlight: {
    env: 'MAX_CREATES_IN_FLIGHT',
    type: 'integer',
    minimum: 1,
    default: 256,
    description: 'most creates that wait for the API server at a time; further ones are answered 503',
  },
  maxFileListBytesPerProject: {
    env: 'MAX_FILE_LIST_BYTES_PER_PROJECT',
    type: 'integer',
    minimum: 1_024,
    default: 256 * 1_024 * 1_024,
    description: 'most compressed bytes of file lists that a project has stored at a time',
  },
  maxRequestsPerSocket: {
    env: 'MAX_REQUESTS_PER_SOCKET',
    type: 'integer',
    minimum: 1,
    default: 1_000,
    description: 'requests after which a connection is closed, so that load spreads to new replicas',
  },
  maxHeaderBytes: {
    env: 'MAX_HEADER_BYTES',
    type: 'integer',
    minimum: 1_024,
    maximum: 65_536,
    default: 16_384,
    description: 'most bytes of headers of one request',
  },
} as const satisfies Settings;

const EGRESS = {
  ...EGRESS_SETTINGS,
} as const satisfies Settings;

/** Every setting of the API. */
export const API_SETTINGS = {
  ...SERVER,
  ...TIMES,
  ...LIMITS,
  ...RATE_LIMIT_SETTINGS,
  ...REDIS_SETTINGS,
  ...DASHBOARD_SETTINGS,
  ...EGRESS,
  ...KUBE_SETTINGS,
} as const satisfies Settings;
export type ApiConfig = ConfigOf<typeof API_SETTINGS>;

/** @throws ConfigError that names every bad variable */
export const readApiConfig = (env: Readonly<Record<string, string | undefined>>): ApiConfig =>
  readConfig(API_SETTINGS, env);
