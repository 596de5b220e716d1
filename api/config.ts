import { MAX_TOKEN_FRESH_MS } from '#crds/zip-token.ts';
import type { ConfigOf, Settings } from '#runtime/config/config.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { HISTORY_CONSTANTS, HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { HTTP_CONSTANTS, HTTP_SETTINGS } from '#runtime/http/settings.ts';
import { OBJECT_METADATA_SETTINGS } from '#runtime/kube/client/object-metadata.ts';
import { KUBE_CONSTANTS, KUBE_SETTINGS } from '#runtime/kube/client/settings.ts';
import { METRICS_SETTINGS } from '#runtime/metrics/settings.ts';
import {
  type ClassLimits,
  PROJECT_CLASS_SETTINGS,
  readClassLimits,
} from '#runtime/project-limits/class-settings.ts';
import { REDIS_CONSTANTS, REDIS_SETTINGS } from '#runtime/redis/settings.ts';
import { parseSchedule } from '#runtime/time/parse-webhook-schedule.ts';
import { TRUST_CONSTANTS, TRUST_SETTINGS } from '#runtime/tls/settings.ts';
import { TRACING_SETTINGS } from '#runtime/tracing/settings.ts';
import { JOB_LIMITS } from '#runtime/zip-request/job-limits.ts';
import { REQUEST_LIMIT_CONSTANTS, REQUEST_LIMIT_SETTINGS } from '#runtime/zip-request/settings.ts';
import { MOST_METADATA_BYTES } from './body/request-limits.ts';
import { RATE_LIMIT_SETTINGS } from './limits/settings.ts';

const SERVER = {
  instance: {
    env: 'INSTANCE',
    type: 'string',
    default: 'zipjobs',
    pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$',
    description: 'name of the Helm release, for the label app.kubernetes.io/instance',
    setBy: 'the chart',
  },
  basePath: {
    env: 'BASE_PATH',
    type: 'string',
    default: '',
    pattern: '^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$',
    description:
      'base path of public URLs, such as /archives for /archives/v1/zips; requests without it are served too',
    changeWhen: 'set it when a proxy in front of the API adds a path',
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    type: 'string',
    default: '',
    pattern: String.raw`^(https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?)?$`,
    description:
      'URL of the API for callers, without a path, such as https://zips.example.com, for the links in openapi.json, /docs and ?expand=error; empty for links without a host; default in the chart: https and the first host of the Ingress or HTTPRoute',
    changeWhen: 'set it when links in the API reference and in errors have no host, or another one',
  },
  helpUrl: {
    env: 'HELP_URL',
    type: 'string',
    default: '',
    pattern: String.raw`^\S{0,300}$`,
    description:
      'URL of the page that explains error codes, for the help links of ?expand=error and webhooks; empty for /docs below PUBLIC_URL and BASE_PATH',
    changeWhen: 'set it when callers should read about error codes on your own page',
  },
  refusedReader: {
    env: 'REFUSED_REQUESTS_READER',
    type: 'string',
    default: '',
    description:
      'user name of the service account that may read refused requests at the admin port, such as system:serviceaccount:zipjobs:zipjobs-dashboard; empty for none',
    setBy: 'the chart: the service account of the dashboard',
  },
} as const satisfies Settings;

/** The chart copies them from the settings of the zipper and the controller, which enforce them. */
const JOB_LIMIT_SETTINGS = {
  jobMaxSeconds: {
    env: 'JOB_MAX_SECONDS',
    type: 'integer',
    minimum: 1,
    default: JOB_LIMITS.seconds,
    description: 'maximum seconds of a running job, for the API reference',
    setBy: 'the chart, from ACTIVE_DEADLINE_SECONDS of the controller',
  },
  jobSucceededTtlSeconds: {
    env: 'JOB_SUCCEEDED_TTL_SECONDS',
    type: 'integer',
    minimum: 1,
    default: JOB_LIMITS.ttlSeconds,
    description: 'seconds for which a succeeded job can be read, for the API reference',
    setBy: 'the chart, from SUCCEEDED_TTL_SECONDS of the controller',
  },
  jobFailedTtlSeconds: {
    env: 'JOB_FAILED_TTL_SECONDS',
    type: 'integer',
    minimum: 1,
    default: JOB_LIMITS.ttlSeconds,
    description: 'seconds for which a failed job can be read, for the API reference',
    setBy: 'the chart, from FAILED_TTL_SECONDS of the controller',
  },
  jobWebhookScheduleSeconds: {
    env: 'JOB_WEBHOOK_SCHEDULE_SECONDS',
    type: 'string',
    default: JOB_LIMITS.webhookScheduleSeconds,
    description:
      'seconds before each delivery attempt of a webhook, separated by commas, for the API reference',
    setBy: 'the chart, from WEBHOOK_SCHEDULE_SECONDS of the controller',
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
    changeWhen: 'raise it when requests with many long URLs get 413',
  },
  maxRequestsInFlight: {
    env: 'MAX_REQUESTS_IN_FLIGHT',
    type: 'integer',
    minimum: 1,
    default: 2_048,
    description:
      'maximum concurrent requests; further ones receive 429 or 503, and one project gets at most half',
    changeWhen: 'raise it when zip_api_overloads_total{limit="requests"} grows while the API has CPU left',
  },
  maxBodyBytesInFlight: {
    env: 'MAX_BODY_BYTES_IN_FLIGHT',
    type: 'integer',
    minimum: 1_024,
    default: 96 * 1_024 * 1_024,
    description:
      'maximum bytes of request bodies in memory, counted as they arrive; further requests receive 429 or 503, and one project gets at most half',
    changeWhen: 'raise it, with the memory of the API, when zip_api_overloads_total{limit="bodies"} grows',
  },
  maxActiveRequests: {
    env: 'MAX_ACTIVE_REQUESTS',
    type: 'integer',
    minimum: 1,
    default: 32,
    description:
      'maximum requests that are handled at the same time; projects are served round-robin, and one gets at most a quarter',
    changeWhen: 'raise it when requests are slow while the API and the API server have CPU left',
  },
  maxFileListBytesPerProject: {
    env: 'MAX_FILE_LIST_BYTES_PER_PROJECT',
    type: 'integer',
    minimum: 1_024,
    default: 256 * 1_024 * 1_024,
    description: 'maximum compressed bytes of the stored file lists of a project',
    changeWhen: 'raise it when callers get 429 file_lists_full; lower it when etcd grows',
  },
} as const satisfies Settings;

/** Every setting of the API. */
export const API_SETTINGS = {
  ...HTTP_SETTINGS,
  ...SERVER,
  ...JOB_LIMIT_SETTINGS,
  ...REQUEST_LIMIT_SETTINGS,
  ...LIMITS,
  ...METRICS_SETTINGS,
  ...PROJECT_CLASS_SETTINGS,
  ...RATE_LIMIT_SETTINGS,
  ...REDIS_SETTINGS,
  ...HISTORY_SETTINGS,
  ...TRUST_SETTINGS,
  ...EGRESS_SETTINGS,
  ...KUBE_SETTINGS,
  ...OBJECT_METADATA_SETTINGS,
  ...TRACING_SETTINGS,
} as const satisfies Settings;

export const API_CONSTANTS = {
  ...HTTP_CONSTANTS,
  ...REQUEST_LIMIT_CONSTANTS,
  ...REDIS_CONSTANTS,
  ...HISTORY_CONSTANTS,
  ...TRUST_CONSTANTS,
  ...KUBE_CONSTANTS,
  /** How long the rest of a body that is too large is read, so that the client receives the response and no reset. */
  bodyLingerMs: 2_000,
  /** How long the declared length of a body counts as in flight; after that, bytes count when they arrive, so that none are reserved. */
  bodyArrivalMs: 5_000,
  /** Age after which a cached token is verified again, and so the longest that a revoked one is accepted. */
  tokenFreshMs: MAX_TOKEN_FRESH_MS,
  /** Age up to which a cached token is accepted while the API server is away: longer than one of its restarts. */
  tokenStaleMs: 10_000,
  /** Time limit for the verification of a token: callers wait for it. */
  tokenVerificationTimeoutMs: 2_000,
  /** Shortest interval between two updates of a token's last use, each of which is a write. */
  lastUsedIntervalMs: 3_600_000,
  /** Bytes of the metadata as JSON: a ZipJob and its history entry contain them. */
  maxMetadataBytes: MOST_METADATA_BYTES,
  /** Creates that wait for the API server; one project gets at most half. Far more than it handles at the same time. */
  maxCreatesInFlight: 256,
  /** Memory for the responses of finished jobs, the newest ones; others are read from the API server. */
  keptResponsesBytes: 16 * 1_024 * 1_024,
  /** Requests that read the history at the same time, at most three quarters of MAX_ACTIVE_REQUESTS; a project gets at most half. */
  historyMaxReads: 24,
  /** Time limit of one read of the history, well below the time limit of the request. */
  historyReadTimeoutMs: 2_000,
  /** After three failed reads in a row, how long requests receive 503 without a read. */
  historyPauseMs: 2_000,
};

type Plain = ConfigOf<typeof API_SETTINGS> & ValuesOf<typeof API_CONSTANTS>;

export interface ApiConfig extends Plain {
  readonly classes: ClassLimits;
  readonly jobWebhookSchedule: readonly number[];
}

/** @throws ConfigError that names every invalid variable */
export function readApiConfig(env: Readonly<Record<string, string | undefined>>): ApiConfig {
  const plain = readConfig(API_SETTINGS, env, API_CONSTANTS);
  return Object.freeze({
    ...plain,
    helpUrl: plain.helpUrl === '' ? `${plain.publicUrl}${plain.basePath}/docs` : plain.helpUrl,
    classes: readClassLimits(plain.projectClassesJson),
    jobWebhookSchedule: parseSchedule('JOB_WEBHOOK_SCHEDULE_SECONDS', plain.jobWebhookScheduleSeconds),
  });
}
