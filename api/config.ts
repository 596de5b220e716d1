import { MAX_TOKEN_FRESH_MS } from '#crds/zip-token.ts';
import { type ConfigOf, milliseconds, type Settings } from '#runtime/config.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { HTTP_SETTINGS } from '#runtime/http/settings.ts';
import { JOB_LIMITS } from '#runtime/job-limits.ts';
import { KUBE_SETTINGS } from '#runtime/kube/settings.ts';
import { parseSchedule } from '#runtime/parse-webhook-schedule.ts';
import {
  type ClassLimits,
  PROJECT_CLASS_SETTINGS,
  readClassLimits,
} from '#runtime/project-limits/class-settings.ts';
import { readConfig } from '#runtime/read-config.ts';
import { REDIS_SETTINGS } from '#runtime/redis/settings.ts';
import { TRUST_SETTINGS } from '#runtime/tls/settings.ts';
import { REQUEST_LIMIT_SETTINGS } from '#runtime/zip-request/settings.ts';
import { RATE_LIMIT_SETTINGS } from './rate-limits/settings.ts';
import { MOST_METADATA_BYTES } from './schemas/limits.ts';

/** How the API reads the history. */
const HISTORY_READ_SETTINGS = {
  historyMaxReads: {
    env: 'HISTORY_MAX_READS',
    type: 'integer',
    minimum: 1,
    default: 24,
    description:
      'maximum requests that read the history at the same time, at most three quarters of MAX_ACTIVE_REQUESTS; further ones receive 429 or 503, and one project gets at most half',
  },
  historyReadTimeoutMs: milliseconds(
    'HISTORY_READ_TIMEOUT_MS',
    2_000,
    'time limit of one read of the history; then the request receives 503',
  ),
  historyPauseMs: milliseconds(
    'HISTORY_PAUSE_MS',
    2_000,
    'after three failed reads in a row, how long requests receive 503 without a read, before one is tried again',
  ),
} as const satisfies Settings;

const SERVER = {
  instance: {
    env: 'INSTANCE',
    type: 'string',
    default: 'zipjobs',
    pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$',
    description: 'name of the Helm release, for the label app.kubernetes.io/instance',
  },
  basePath: {
    env: 'BASE_PATH',
    type: 'string',
    default: '',
    pattern: '^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$',
    description:
      'base path of public URLs, such as /archives for /archives/v1/zips; requests without it are served too',
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    type: 'string',
    default: '',
    pattern: String.raw`^(https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?)?$`,
    description:
      'URL of the API for callers, without a path, such as https://zips.example.com, for the links in openapi.json, /docs and ?expand=error; empty for links without a host',
  },
  helpUrl: {
    env: 'HELP_URL',
    type: 'string',
    default: '',
    description:
      'URL of the page that explains error codes, for the help links of ?expand=error; empty for /docs below PUBLIC_URL and BASE_PATH',
  },
} as const satisfies Settings;

/** The chart copies them from the settings of the zipper and the controller, which enforce them. */
const JOB_LIMIT_SETTINGS = {
  jobMaxArchiveBytes: {
    env: 'JOB_MAX_ARCHIVE_BYTES',
    type: 'integer',
    minimum: 1,
    default: JOB_LIMITS.archiveBytes,
    description: 'maximum bytes of an archive, for the API reference',
  },
  jobMaxFileBytes: {
    env: 'JOB_MAX_FILE_BYTES',
    type: 'integer',
    minimum: 1,
    default: JOB_LIMITS.fileBytes,
    description: 'maximum bytes of one source, and so of the size that an entry of a request can state',
  },
  jobMaxSeconds: {
    env: 'JOB_MAX_SECONDS',
    type: 'integer',
    minimum: 1,
    default: JOB_LIMITS.seconds,
    description: 'maximum seconds of a running job, for the API reference',
  },
  jobSucceededTtlSeconds: {
    env: 'JOB_SUCCEEDED_TTL_SECONDS',
    type: 'integer',
    minimum: 1,
    default: JOB_LIMITS.ttlSeconds,
    description: 'seconds for which a succeeded job can be read, for the API reference',
  },
  jobFailedTtlSeconds: {
    env: 'JOB_FAILED_TTL_SECONDS',
    type: 'integer',
    minimum: 1,
    default: JOB_LIMITS.ttlSeconds,
    description: 'seconds for which a failed job can be read, for the API reference',
  },
  jobWebhookScheduleSeconds: {
    env: 'JOB_WEBHOOK_SCHEDULE_SECONDS',
    type: 'string',
    default: JOB_LIMITS.webhookScheduleSeconds,
    description:
      'seconds before each delivery attempt of a webhook, separated by commas, for the API reference',
  },
} as const satisfies Settings;

const TIMES = {
  bodyLingerMs: milliseconds(
    'BODY_LINGER_MS',
    2_000,
    'how long the rest of a body that is too large is read, so that the client receives the response',
  ),
  bodyArrivalMs: milliseconds(
    'BODY_ARRIVAL_MS',
    5_000,
    'how long the declared length of a body counts as in flight; after that, bytes count when they arrive',
  ),
  tokenFreshMs: {
    ...milliseconds('TOKEN_FRESH_MS', MAX_TOKEN_FRESH_MS, 'age after which a cached token is verified again'),
    maximum: MAX_TOKEN_FRESH_MS,
  },
  tokenStaleMs: milliseconds(
    'TOKEN_STALE_MS',
    10_000,
    'age up to which a cached token is accepted while the API server is unavailable',
  ),
  tokenVerificationTimeoutMs: milliseconds(
    'TOKEN_VERIFICATION_TIMEOUT_MS',
    2_000,
    'time limit for the verification of a token',
  ),
  lastUsedIntervalMs: {
    ...milliseconds(
      'LAST_USED_INTERVAL_MS',
      3_600_000,
      "minimum interval between two updates of a token's last use",
    ),
    maximum: 31_536_000_000,
  },
} as const satisfies Settings;

const LIMITS = {
  maxBodyBytes: {
    env: 'MAX_BODY_BYTES',
    type: 'integer',
    minimum: 1_024,
    maximum: 64 * 1_024 * 1_024,
    default: 32 * 1_024 * 1_024,
    description: 'maximum bytes of a request body',
  },
  maxMetadataBytes: {
    env: 'MAX_METADATA_BYTES',
    type: 'integer',
    minimum: 2,
    maximum: MOST_METADATA_BYTES,
    default: MOST_METADATA_BYTES,
    description: 'maximum bytes of the metadata as JSON',
  },
  maxRequestsInFlight: {
    env: 'MAX_REQUESTS_IN_FLIGHT',
    type: 'integer',
    minimum: 1,
    default: 2_048,
    description:
      'maximum concurrent requests; further ones receive 429 or 503, and one project gets at most half',
  },
  maxBodyBytesInFlight: {
    env: 'MAX_BODY_BYTES_IN_FLIGHT',
    type: 'integer',
    minimum: 1_024,
    default: 96 * 1_024 * 1_024,
    description:
      'maximum bytes of request bodies in memory, counted as they arrive; further requests receive 429 or 503, and one project gets at most half',
  },
  maxCreatesInFlight: {
    env: 'MAX_CREATES_IN_FLIGHT',
    type: 'integer',
    minimum: 1,
    default: 256,
    description:
      'maximum creates that wait for the API server; further ones receive 429 or 503, and one project gets at most half',
  },
  maxActiveRequests: {
    env: 'MAX_ACTIVE_REQUESTS',
    type: 'integer',
    minimum: 1,
    default: 32,
    description:
      'maximum requests that are handled at the same time; projects are served round-robin, and one gets at most a quarter',
  },
  maxFileListBytesPerProject: {
    env: 'MAX_FILE_LIST_BYTES_PER_PROJECT',
    type: 'integer',
    minimum: 1_024,
    default: 256 * 1_024 * 1_024,
    description: 'maximum compressed bytes of the stored file lists of a project',
  },
  keptResponsesBytes: {
    env: 'KEPT_RESPONSES_BYTES',
    type: 'integer',
    minimum: 0,
    default: 16 * 1_024 * 1_024,
    description:
      'memory for the responses of finished jobs, the newest ones; other finished jobs are read from the API server',
  },
} as const satisfies Settings;

/** Every setting of the API. */
export const API_SETTINGS = {
  ...HTTP_SETTINGS,
  ...SERVER,
  ...JOB_LIMIT_SETTINGS,
  ...TIMES,
  ...REQUEST_LIMIT_SETTINGS,
  ...LIMITS,
  ...PROJECT_CLASS_SETTINGS,
  ...RATE_LIMIT_SETTINGS,
  ...REDIS_SETTINGS,
  ...HISTORY_SETTINGS,
  ...HISTORY_READ_SETTINGS,
  ...TRUST_SETTINGS,
  ...EGRESS_SETTINGS,
  ...KUBE_SETTINGS,
} as const satisfies Settings;

export interface ApiConfig extends ConfigOf<typeof API_SETTINGS> {
  readonly classes: ClassLimits;
  readonly jobWebhookSchedule: readonly number[];
}

/** @throws ConfigError that names every invalid variable */
export function readApiConfig(env: Readonly<Record<string, string | undefined>>): ApiConfig {
  const plain = readConfig(API_SETTINGS, env);
  return Object.freeze({
    ...plain,
    helpUrl: plain.helpUrl === '' ? `${plain.publicUrl}${plain.basePath}/docs` : plain.helpUrl,
    classes: readClassLimits(plain.projectClassesJson),
    jobWebhookSchedule: parseSchedule('JOB_WEBHOOK_SCHEDULE_SECONDS', plain.jobWebhookScheduleSeconds),
  });
}
