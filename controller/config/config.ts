import type { ConfigOf, Settings } from '#runtime/config/config.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import { requireCidr } from '#runtime/egress/closed-ranges.ts';
import {
  proxyFor,
  SOURCE_PROXY_SETTINGS,
  STORE_PROXY_SETTINGS,
  WEBHOOK_PROXY_SETTINGS,
} from '#runtime/egress/proxy/settings.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { HISTORY_CONSTANTS, HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { OBJECT_METADATA_SETTINGS } from '#runtime/kube/client/object-metadata.ts';
import { KUBE_CONSTANTS, KUBE_SETTINGS } from '#runtime/kube/client/settings.ts';
import { METRICS_SETTINGS } from '#runtime/metrics/settings.ts';
import {
  type ClassLimits,
  PROJECT_CLASS_SETTINGS,
  readClassLimits,
} from '#runtime/project-limits/class-settings.ts';
import { STORE_ADDRESS_SETTINGS, TOKEN_AUDIENCE_SETTINGS } from '#runtime/store/settings.ts';
import { parseSchedule } from '#runtime/time/parse-webhook-schedule.ts';
import { TRUST_CONSTANTS, TRUST_SETTINGS } from '#runtime/tls/settings.ts';
import { TRACING_SETTINGS } from '#runtime/tracing/settings.ts';
import { WEBHOOK_BODY_SETTINGS } from '#runtime/webhook/settings.ts';
import type { TaskSettings } from '#runtime/zip-request/zipper-settings.ts';
import { ARCHIVE_CONSTANTS, ARCHIVE_SETTINGS } from './archive-settings.ts';
import { type Resources, readResources, readStringMap } from './config-values.ts';
import { IDENTITY_SETTINGS } from './identity-settings.ts';
import { JOB_CONSTANTS, JOB_SETTINGS } from './job-settings.ts';
import { RECOVERY_CONSTANTS, RECOVERY_SETTINGS } from './recovery-settings.ts';
import { RESUME_CONSTANTS, RESUME_SETTINGS } from './resume-settings.ts';
import { WEBHOOK_CONSTANTS, WEBHOOK_SETTINGS } from './webhook-settings.ts';
import { LAUNCH_SETTINGS, readTaskSettings } from './zipper-launch.ts';
import { readZipperPod, type ZipperPodValues } from './zipper-pod.ts';

/** What the API server has to do for progress and counts, however many jobs run. */
const WRITE_BUDGET_SETTINGS = {
  progressWritesPerSecond: {
    env: 'PROGRESS_WRITES_PER_SECOND',
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 50,
    description:
      'progress writes per second of all running zippers together; with more jobs, each writes less often, up to every two minutes',
    changeWhen: 'lower it when progress writes load the API server or etcd; raise it when progress is old',
  },
  progressBytesPerSecond: {
    env: 'PROGRESS_BYTES_PER_SECOND',
    type: 'integer',
    minimum: 1024,
    default: 1_048_576,
    description:
      'bytes per second that the API server stores for progress: each write stores its whole ZipJob, so that large ones are written less often',
    changeWhen: 'lower it when etcd grows or slows down with many running jobs of large requests',
  },
} as const satisfies Settings;

/** The NetworkPolicies of zippers. */
const NETWORK_SETTINGS = {
  networkPolicies: {
    env: 'NETWORK_POLICIES',
    type: 'boolean',
    default: false,
    description: 'creates a NetworkPolicy for the zippers in each project',
    changeWhen: 'set it when the cluster enforces NetworkPolicies',
  },
  apiServerCidrs: {
    env: 'API_SERVER_CIDRS',
    type: 'array',
    default: [],
    description: 'CIDRs of the API server, for the NetworkPolicy',
    changeWhen: 'set it when zippers cannot reach the API server through the NetworkPolicy',
  },
  proxyCidrs: {
    env: 'PROXY_CIDRS',
    type: 'array',
    default: [],
    description: 'CIDRs of the proxies of zippers, for the NetworkPolicy',
    changeWhen: 'set it when zippers cannot reach their proxy through the NetworkPolicy',
  },
  apiServerPorts: {
    env: 'API_SERVER_PORTS',
    type: 'array',
    default: ['443', '6443'],
    description: 'ports of the API server, for the NetworkPolicy',
    changeWhen: 'set it when the API server listens on another port',
  },
} as const satisfies Settings;

/** Every setting of the controller. Names of times include the unit. */
export const CONTROLLER_SETTINGS = {
  ...KUBE_SETTINGS,
  ...OBJECT_METADATA_SETTINGS,
  host: {
    env: 'HOST',
    type: 'string',
    default: '',
    description: 'address to listen on; empty for all addresses',
    setBy: 'the chart',
  },
  adminPort: {
    env: 'ADMIN_PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 9090,
    description: 'port of /healthz, /readyz and /metrics',
    setBy: 'the chart',
  },
  ...METRICS_SETTINGS,
  ...IDENTITY_SETTINGS,
  leaseName: {
    env: 'LEASE_NAME',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'name of the Lease for leader election',
    setBy: 'the chart',
  },
  workers: {
    env: 'WORKERS',
    type: 'integer',
    minimum: 1,
    maximum: 256,
    default: 32,
    description: 'number of concurrent reconciles of ZipJobs',
    changeWhen:
      'raise it when zip_jobs_oldest_queued_seconds grows although few jobs run and the controller has CPU left',
  },
  ...PROJECT_CLASS_SETTINGS,
  ...JOB_SETTINGS,
  ...WRITE_BUDGET_SETTINGS,
  ...RECOVERY_SETTINGS,
  ...RESUME_SETTINGS,
  ...LAUNCH_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...WEBHOOK_BODY_SETTINGS,
  ...NETWORK_SETTINGS,
  ...EGRESS_SETTINGS,
  ...WEBHOOK_PROXY_SETTINGS,
  ...STORE_ADDRESS_SETTINGS,
  ...TOKEN_AUDIENCE_SETTINGS,
  ...TRUST_SETTINGS,
  ...HISTORY_SETTINGS,
  ...ARCHIVE_SETTINGS,
  ...TRACING_SETTINGS,
} as const satisfies Settings;

export const CONTROLLER_CONSTANTS = {
  ...HISTORY_CONSTANTS,
  ...KUBE_CONSTANTS,
  ...TRUST_CONSTANTS,
  ...JOB_CONSTANTS,
  ...RECOVERY_CONSTANTS,
  ...RESUME_CONSTANTS,
  ...WEBHOOK_CONSTANTS,
  ...ARCHIVE_CONSTANTS,
  /** How long running reconciles may take to finish after SIGTERM; less than the grace period of the pod. */
  shutdownTimeoutMs: 25_000,
  /** Duration of the Lease; the renew deadline is two thirds of it, the retry period a tenth. The values of Kubernetes' own controllers. */
  leaseDurationMs: 15_000,
  /** Interval at which jobs are reconciled that are unfinished or wait for their webhook or pod; others only when they are due. */
  fullReconcileSeconds: 60,
  /** Liveness fails if a watch has received nothing from the API server for this long: it then does not come back by itself. */
  watchSilenceLimitMs: 300_000,
  /** Liveness fails if one reconcile takes this long: the longest call to the API server is far shorter. */
  reconcileTimeoutMs: 300_000,
  /** Longest interval between two progress writes, whatever the budgets are: a job without progress for longer is reported. */
  progressIntervalMaxSeconds: 120,
  /** Writes of the counts of unfinished jobs of all ZipBuckets together: a count that is seconds old is good enough. */
  bucketCountWritesPerSecond: 20,
  /** Time limit of a bucket test: its pod has to start, and ends itself after 110 seconds. */
  bucketTestSeconds: 120,
  /** Bucket tests at the same time, and those of a project: users start them by hand. */
  maxBucketTests: 20,
  maxBucketTestsPerProject: 4,
  /** How long the deletion of a ZipProject waits for its jobs and buckets: as long as a job needs to end, which is 280 seconds. */
  projectDeletionSeconds: 300,
};

/** Without this check, every job would fail. */
function checkZipperProxies(zipperEnv: Readonly<Record<string, string>>): void {
  const settings = readConfig({ ...SOURCE_PROXY_SETTINGS, ...STORE_PROXY_SETTINGS }, zipperEnv);
  proxyFor('source', settings, []);
  proxyFor('store', settings, []);
}

type Plain = ConfigOf<typeof CONTROLLER_SETTINGS> & ValuesOf<typeof CONTROLLER_CONSTANTS>;

export interface ControllerConfig extends Plain {
  readonly zipperEnv: Readonly<Record<string, string>>;
  readonly taskSettings: TaskSettings;
  readonly zipperPod: ZipperPodValues;
  readonly zipperProxySecrets: Readonly<Record<string, string>>;
  readonly zipperResources: Resources;
  readonly recoveryResources: Resources;
  readonly webhookSchedule: readonly number[];
  readonly classes: ClassLimits;
}

/** @throws ConfigError that lists every invalid variable. */
export function readControllerConfig(env: Readonly<Record<string, string | undefined>>): ControllerConfig {
  const plain = readConfig(CONTROLLER_SETTINGS, env, CONTROLLER_CONSTANTS);
  // This process uses them only for NetworkPolicies, but without this check every job would fail.
  for (const text of plain.storeAllowCidrs) requireCidr(text, 'STORE_ALLOW_CIDRS');
  const zipperEnv = readStringMap('ZIPPER_ENV_JSON', plain.zipperEnvJson);
  checkZipperProxies(zipperEnv);
  return Object.freeze({
    ...plain,
    zipperEnv,
    taskSettings: readTaskSettings(plain.zipperSettingsJson, env),
    zipperPod: readZipperPod('ZIPPER_POD_JSON', plain.zipperPodJson),
    zipperProxySecrets: readStringMap('ZIPPER_PROXY_SECRETS_JSON', plain.zipperProxySecretsJson),
    zipperResources: readResources('ZIPPER_RESOURCES_JSON', plain.zipperResourcesJson),
    recoveryResources: readResources('RECOVERY_RESOURCES_JSON', plain.recoveryResourcesJson),
    webhookSchedule: parseSchedule('WEBHOOK_SCHEDULE_SECONDS', plain.webhookScheduleSeconds),
    classes: readClassLimits(plain.projectClassesJson),
  });
}
