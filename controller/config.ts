import { type ConfigOf, LONGEST_TIMER_SECONDS, type Settings } from '#runtime/config.ts';
import { requireCidr } from '#runtime/egress/closed-ranges.ts';
import {
  proxyFor,
  SOURCE_PROXY_SETTINGS,
  STORE_PROXY_SETTINGS,
  WEBHOOK_PROXY_SETTINGS,
} from '#runtime/egress/proxy/settings.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { KUBE_SETTINGS } from '#runtime/kube/settings.ts';
import { parseSchedule } from '#runtime/parse-webhook-schedule.ts';
import {
  type ClassLimits,
  PROJECT_CLASS_SETTINGS,
  readClassLimits,
} from '#runtime/project-limits/class-settings.ts';
import { readConfig } from '#runtime/read-config.ts';
import { STORE_ADDRESS_SETTINGS, TOKEN_AUDIENCE_SETTINGS } from '#runtime/store/settings.ts';
import { TRUST_SETTINGS } from '#runtime/tls/settings.ts';
import { ARCHIVE_SETTINGS } from './settings/archive-settings.ts';
import { type Resources, readResources, readStringMap } from './settings/config-values.ts';
import { IDENTITY_SETTINGS } from './settings/identity-settings.ts';
import { JOB_SETTINGS } from './settings/job-settings.ts';
import { checkRecoveryLimit, RECOVERY_SETTINGS } from './settings/recovery-settings.ts';
import { WEBHOOK_SETTINGS } from './settings/webhook-settings.ts';
import { readZipperPod, type ZipperPodValues } from './settings/zipper-pod.ts';
import { ZIPPER_SETTINGS } from './settings/zipper-settings.ts';

/** What the API server has to do for progress and counts, however many jobs run. */
const WRITE_BUDGET_SETTINGS = {
  progressWritesPerSecond: {
    env: 'PROGRESS_WRITES_PER_SECOND',
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 50,
    description:
      'progress writes per second of all running zippers together; with more jobs, each writes less often, up to PROGRESS_INTERVAL_MAX_SECONDS',
  },
  progressBytesPerSecond: {
    env: 'PROGRESS_BYTES_PER_SECOND',
    type: 'integer',
    minimum: 1024,
    default: 1_048_576,
    description:
      'bytes per second that the API server stores for progress: each write stores its whole ZipJob, so that large ones are written less often',
  },
  progressIntervalMaxSeconds: {
    env: 'PROGRESS_INTERVAL_MAX_SECONDS',
    type: 'integer',
    minimum: 2,
    maximum: 3600,
    default: 120,
    description:
      'maximum interval between two progress writes of a zipper; takes precedence over the budgets',
  },
  bucketCountWritesPerSecond: {
    env: 'BUCKET_COUNT_WRITES_PER_SECOND',
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 20,
    description: 'writes per second of the counts of unfinished jobs of all ZipBuckets together',
  },
} as const satisfies Settings;

/** Limits of bucket tests, and time limits of deletions. */
const DELETION_SETTINGS = {
  bucketTestSeconds: {
    env: 'BUCKET_TEST_SECONDS',
    type: 'integer',
    minimum: 5,
    maximum: 600,
    default: 120,
    description: 'time limit of a bucket test',
  },
  maxBucketTests: {
    env: 'MAX_BUCKET_TESTS',
    type: 'integer',
    minimum: 1,
    default: 20,
    description: 'maximum bucket tests that run at the same time',
  },
  maxBucketTestsPerProject: {
    env: 'MAX_BUCKET_TESTS_PER_PROJECT',
    type: 'integer',
    minimum: 1,
    default: 4,
    description: 'maximum bucket tests of a project that run at the same time',
  },
  projectDeletionSeconds: {
    env: 'PROJECT_DELETION_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    default: 300,
    description: 'how long the deletion of a ZipProject waits for its jobs and buckets',
  },
} as const satisfies Settings;

/** The NetworkPolicies of zippers. */
const NETWORK_SETTINGS = {
  networkPolicies: {
    env: 'NETWORK_POLICIES',
    type: 'boolean',
    default: false,
    description: 'creates a NetworkPolicy for the zippers in each project',
  },
  apiServerCidrs: {
    env: 'API_SERVER_CIDRS',
    type: 'array',
    default: [],
    description: 'CIDRs of the API server, for the NetworkPolicy',
  },
  proxyCidrs: {
    env: 'PROXY_CIDRS',
    type: 'array',
    default: [],
    description: 'CIDRs of the proxies of zippers, for the NetworkPolicy',
  },
  apiServerPorts: {
    env: 'API_SERVER_PORTS',
    type: 'array',
    default: ['443', '6443'],
    description: 'ports of the API server, for the NetworkPolicy',
  },
} as const satisfies Settings;

/** Every setting of the controller. Names of times include the unit. */
export const CONTROLLER_SETTINGS = {
  ...KUBE_SETTINGS,
  host: {
    env: 'HOST',
    type: 'string',
    default: '',
    description: 'address to listen on; empty for all addresses',
  },
  adminPort: {
    env: 'ADMIN_PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 9090,
    description: 'port of /healthz, /readyz and /metrics',
  },
  ...IDENTITY_SETTINGS,
  shutdownTimeoutMs: {
    env: 'SHUTDOWN_TIMEOUT_MS',
    type: 'integer',
    minimum: 1000,
    default: 25_000,
    description: 'how long running reconciles may take to finish after SIGTERM',
  },
  leaseName: {
    env: 'LEASE_NAME',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'name of the Lease for leader election',
  },
  leaseDurationMs: {
    env: 'LEASE_DURATION_MS',
    type: 'integer',
    minimum: 1000,
    default: 15_000,
    description: 'duration of the Lease; the renew deadline is two thirds of it, the retry period a tenth',
  },
  workers: {
    env: 'WORKERS',
    type: 'integer',
    minimum: 1,
    maximum: 256,
    default: 32,
    description: 'number of concurrent reconciles of ZipJobs',
  },
  fullReconcileSeconds: {
    env: 'FULL_RECONCILE_SECONDS',
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_TIMER_SECONDS,
    default: 60,
    description:
      'interval at which ZipJobs are reconciled that are unfinished, or wait for their webhook or for the exit of their pod; others are reconciled only when they are due',
  },
  watchSilenceLimitMs: {
    env: 'WATCH_SILENCE_LIMIT_MS',
    type: 'integer',
    minimum: 1000,
    default: 300_000,
    description: 'liveness fails if a watch has received nothing from the API server for this long',
  },
  reconcileTimeoutMs: {
    env: 'RECONCILE_TIMEOUT_MS',
    type: 'integer',
    minimum: 1000,
    default: 300_000,
    description: 'liveness fails if one reconcile of a ZipJob takes this long',
  },
  ...PROJECT_CLASS_SETTINGS,
  ...JOB_SETTINGS,
  ...WRITE_BUDGET_SETTINGS,
  ...RECOVERY_SETTINGS,
  ...DELETION_SETTINGS,
  ...ZIPPER_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...NETWORK_SETTINGS,
  ...EGRESS_SETTINGS,
  ...WEBHOOK_PROXY_SETTINGS,
  ...STORE_ADDRESS_SETTINGS,
  ...TOKEN_AUDIENCE_SETTINGS,
  ...TRUST_SETTINGS,
  ...HISTORY_SETTINGS,
  ...ARCHIVE_SETTINGS,
} as const satisfies Settings;

/** Without this check, every job would fail. */
function checkZipperProxies(zipperEnv: Readonly<Record<string, string>>): void {
  const settings = readConfig({ ...SOURCE_PROXY_SETTINGS, ...STORE_PROXY_SETTINGS }, zipperEnv);
  proxyFor('source', settings, []);
  proxyFor('store', settings, []);
}

export interface ControllerConfig extends ConfigOf<typeof CONTROLLER_SETTINGS> {
  readonly zipperEnv: Readonly<Record<string, string>>;
  readonly zipperPod: ZipperPodValues;
  readonly zipperProxySecrets: Readonly<Record<string, string>>;
  readonly zipperResources: Resources;
  readonly recoveryResources: Resources;
  readonly webhookSchedule: readonly number[];
  readonly classes: ClassLimits;
}

/** @throws ConfigError that lists every invalid variable. */
export function readControllerConfig(env: Readonly<Record<string, string | undefined>>): ControllerConfig {
  const plain = readConfig(CONTROLLER_SETTINGS, env);
  // This process uses them only for NetworkPolicies, but without this check every job would fail.
  for (const text of plain.storeAllowCidrs) requireCidr(text, 'STORE_ALLOW_CIDRS');
  const zipperEnv = readStringMap('ZIPPER_ENV_JSON', plain.zipperEnvJson);
  checkRecoveryLimit(plain.recoveryDeadlineSeconds, zipperEnv);
  checkZipperProxies(zipperEnv);
  return Object.freeze({
    ...plain,
    zipperEnv,
    zipperPod: readZipperPod('ZIPPER_POD_JSON', plain.zipperPodJson),
    zipperProxySecrets: readStringMap('ZIPPER_PROXY_SECRETS_JSON', plain.zipperProxySecretsJson),
    zipperResources: readResources('ZIPPER_RESOURCES_JSON', plain.zipperResourcesJson),
    recoveryResources: readResources('RECOVERY_RESOURCES_JSON', plain.recoveryResourcesJson),
    webhookSchedule: parseSchedule('WEBHOOK_SCHEDULE_SECONDS', plain.webhookScheduleSeconds),
    classes: readClassLimits(plain.projectClassesJson),
  });
}
