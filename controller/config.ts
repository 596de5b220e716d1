import { type ConfigOf, readConfig, type Settings } from '#runtime/config.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { KUBE_SETTINGS } from '#runtime/kube/settings.ts';
import { LOG_LEVELS } from '#runtime/log.ts';
import { parseSchedule, readStringMap } from './config-values.ts';

const DEFAULT_ZIPPER_RESOURCES = JSON.stringify({
  requests: { cpu: '250m', memory: '256Mi', 'ephemeral-storage': '16Mi' },
  limits: { cpu: '2', memory: '512Mi', 'ephemeral-storage': '64Mi' },
});

/** Every setting of the controller. Times carry their unit in the name. */
export const CONTROLLER_SETTINGS = {
  ...KUBE_SETTINGS,
  host: { env: 'HOST', type: 'string', default: '0.0.0.0', description: 'address to listen on' },
  adminPort: {
    env: 'ADMIN_PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 9090,
    description: 'port of /healthz, /readyz and /metrics',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    type: 'string',
    enum: LOG_LEVELS,
    default: 'info',
    description: 'least severe level that is logged',
  },
  podName: { env: 'POD_NAME', type: 'string', minLength: 1, description: 'name of this pod' },
  podNamespace: { env: 'POD_NAMESPACE', type: 'string', minLength: 1, description: 'namespace of this pod' },
  shutdownTimeoutMs: {
    env: 'SHUTDOWN_TIMEOUT_MS',
    type: 'integer',
    minimum: 1000,
    default: 25_000,
    description: 'how long keys in hand may take after SIGTERM',
  },
  leaseName: {
    env: 'LEASE_NAME',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'Lease that the leading replica holds',
  },
  leaseDurationMs: {
    env: 'LEASE_DURATION_MS',
    type: 'integer',
    minimum: 1000,
    default: 15_000,
    description:
      'how long a lease lasts without renewal; the renew deadline is two thirds and the period a seventh',
  },
  workers: {
    env: 'WORKERS',
    type: 'integer',
    minimum: 1,
    maximum: 256,
    default: 16,
    description: 'ZipJobs that are worked on at once',
  },
  maxActiveJobs: {
    env: 'MAX_ACTIVE_JOBS',
    type: 'integer',
    minimum: 0,
    default: 100,
    description: 'jobs that run at once in all; 0 begins no further job',
  },
  maxActiveJobsPerProject: {
    env: 'MAX_ACTIVE_JOBS_PER_PROJECT',
    type: 'integer',
    minimum: 0,
    default: 50,
    description: 'jobs of one project that run at once where its spec.limits.activeJobs says nothing',
  },
  maxActiveJobsPerBucket: {
    env: 'MAX_ACTIVE_JOBS_PER_BUCKET',
    type: 'integer',
    minimum: 0,
    default: 50,
    description: 'jobs of one bucket that run at once',
  },
  jobCreateRate: {
    env: 'JOB_CREATE_RATE',
    type: 'integer',
    minimum: 1,
    default: 100,
    description: 'Jobs of archives that are created a second',
  },
  jobCreateBurst: {
    env: 'JOB_CREATE_BURST',
    type: 'integer',
    minimum: 1,
    default: 200,
    description: 'Jobs of archives that may be created at once after a quiet time',
  },
  fullPassSeconds: {
    env: 'FULL_PASS_SECONDS',
    type: 'integer',
    minimum: 1,
    default: 60,
    description: 'how often every cached ZipJob is looked at again',
  },
  watchSilenceLimitMs: {
    env: 'WATCH_SILENCE_LIMIT_MS',
    type: 'integer',
    minimum: 1000,
    default: 300_000,
    description: 'liveness fails when a watch heard nothing from the API server for this long',
  },
  passLimitMs: {
    env: 'PASS_LIMIT_MS',
    type: 'integer',
    minimum: 1000,
    default: 300_000,
    description: 'liveness fails when one pass over a ZipJob takes this long',
  },
  zipperImage: { env: 'ZIPPER_IMAGE', type: 'string', minLength: 1, description: 'image of the zipper' },
  zipperImagePullPolicy: {
    env: 'ZIPPER_IMAGE_PULL_POLICY',
    type: 'string',
    enum: ['Always', 'IfNotPresent', 'Never'],
    default: 'IfNotPresent',
    description: 'when nodes pull the zipper image',
  },
  zipperImagePullSecrets: {
    env: 'ZIPPER_IMAGE_PULL_SECRETS',
    type: 'array',
    default: [],
    description: 'pull Secrets of the zipper image, by name, in the project namespaces',
  },
  zipperEnvJson: {
    env: 'ZIPPER_ENV_JSON',
    type: 'string',
    default: '{}',
    description: "the zipper's own settings: JSON object of env name to string",
  },
  zipperResourcesJson: {
    env: 'ZIPPER_RESOURCES_JSON',
    type: 'string',
    default: DEFAULT_ZIPPER_RESOURCES,
    description: 'resources of the zipper container where a ZipJob names none: JSON {requests, limits}',
  },
  zipperNodeSelectorJson: {
    env: 'ZIPPER_NODE_SELECTOR_JSON',
    type: 'string',
    default: '{}',
    description: 'node selector of zipper pods: JSON object of label to value',
  },
  zipperPriorityClassName: {
    env: 'ZIPPER_PRIORITY_CLASS_NAME',
    type: 'string',
    default: '',
    description: 'priority class of zipper pods where a ZipJob names none',
  },
  zipperGraceSeconds: {
    env: 'ZIPPER_GRACE_SECONDS',
    type: 'integer',
    minimum: 1,
    default: 30,
    description: 'how long a zipper pod may take after SIGTERM',
  },
  activeDeadlineSeconds: {
    env: 'ACTIVE_DEADLINE_SECONDS',
    type: 'integer',
    minimum: 60,
    maximum: 86_400,
    default: 7200,
    description: 'how long a job may run in all where the ZipJob says nothing',
  },
  succeededTtlSeconds: {
    env: 'SUCCEEDED_TTL_SECONDS',
    type: 'integer',
    minimum: 86_400,
    default: 604_800,
    description: 'how long a succeeded ZipJob is kept where it says nothing',
  },
  failedTtlSeconds: {
    env: 'FAILED_TTL_SECONDS',
    type: 'integer',
    minimum: 86_400,
    default: 604_800,
    description: 'how long a failed ZipJob is kept where it says nothing',
  },
  fileListTtlSeconds: {
    env: 'FILE_LIST_TTL_SECONDS',
    type: 'integer',
    minimum: 0,
    default: 3600,
    description: 'how long the Secrets with the file list are kept after the end',
  },
  restoredAfterSeconds: {
    env: 'RESTORED_AFTER_SECONDS',
    type: 'integer',
    minimum: 60,
    default: 86_400,
    description: 'a ZipJob without status that was accepted longer ago comes from a backup and is not run',
  },
  settleDeadlineSeconds: {
    env: 'SETTLE_DEADLINE_SECONDS',
    type: 'integer',
    minimum: 5,
    maximum: 240,
    default: 120,
    description: 'how long a settle Job may run',
  },
  maxDisruptions: {
    env: 'MAX_DISRUPTIONS',
    type: 'integer',
    minimum: 1,
    default: 20,
    description: 'how often a job may be interrupted from outside before it fails',
  },
  noProgressSeconds: {
    env: 'NO_PROGRESS_SECONDS',
    type: 'integer',
    minimum: 10,
    default: 300,
    description: 'a running job without progress for this long is reported as not moving',
  },
  webhookScheduleSeconds: {
    env: 'WEBHOOK_SCHEDULE_SECONDS',
    type: 'string',
    default: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    description:
      'wait before each delivery attempt, comma list in seconds; its length is the number of attempts',
  },
  webhookDisableAfterSeconds: {
    env: 'WEBHOOK_DISABLE_AFTER_SECONDS',
    type: 'integer',
    minimum: 60,
    default: 432_000,
    description: 'an endpoint that answers with nothing but failures for this long is disabled',
  },
  webhookTimeoutMs: {
    env: 'WEBHOOK_TIMEOUT_MS',
    type: 'integer',
    minimum: 100,
    default: 15_000,
    description: 'time limit of one delivery attempt',
  },
  webhookConcurrency: {
    env: 'WEBHOOK_CONCURRENCY',
    type: 'integer',
    minimum: 1,
    default: 512,
    description: 'deliveries at once in all',
  },
  webhookConcurrencyPerEndpoint: {
    env: 'WEBHOOK_CONCURRENCY_PER_ENDPOINT',
    type: 'integer',
    minimum: 1,
    default: 4,
    description: 'deliveries at once to one endpoint',
  },
  webhookAllowHttp: {
    env: 'WEBHOOK_ALLOW_HTTP',
    type: 'boolean',
    default: false,
    description: 'whether webhooks may go to http URLs',
  },
  ...EGRESS_SETTINGS,
} as const satisfies Settings;

export interface ControllerConfig extends ConfigOf<typeof CONTROLLER_SETTINGS> {
  readonly zipperEnv: Readonly<Record<string, string>>;
  readonly zipperNodeSelector: Readonly<Record<string, string>>;
  readonly zipperResources: {
    readonly requests: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
  };
  readonly webhookSchedule: readonly number[];
}

/** @throws ConfigError that names every bad variable at once. */
export const readControllerConfig = (env: Readonly<Record<string, string | undefined>>): ControllerConfig => {
  const plain = readConfig(CONTROLLER_SETTINGS, env);
  return Object.freeze({
    ...plain,
    zipperEnv: readStringMap('ZIPPER_ENV_JSON', plain.zipperEnvJson),
    zipperNodeSelector: readStringMap('ZIPPER_NODE_SELECTOR_JSON', plain.zipperNodeSelectorJson),
    zipperResources: {
      requests: readStringMap('ZIPPER_RESOURCES_JSON', plain.zipperResourcesJson, 'requests'),
      limits: readStringMap('ZIPPER_RESOURCES_JSON', plain.zipperResourcesJson, 'limits'),
    },
    webhookSchedule: parseSchedule('WEBHOOK_SCHEDULE_SECONDS', plain.webhookScheduleSeconds),
  });
};
