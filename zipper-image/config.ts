import { ZIPPER_ENV, ZIPPER_PATHS } from '#crds/zipper-contract.ts';
import type { ZipperTask } from '#crds/zipper-task.ts';
import { type ConfigOf, defaultsOf, readSettings, type Settings } from '#runtime/config/config.ts';
import { LOG_SETTINGS } from '#runtime/config/log-settings.ts';
import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import type { Validator } from '#runtime/config/validator.ts';
import { SOURCE_PROXY_SETTINGS, STORE_PROXY_SETTINGS } from '#runtime/egress/proxy/settings.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import {
  STORE_ADDRESS_SETTINGS,
  STORE_RULE_SETTINGS,
  STS_HOST_SETTINGS,
  TOKEN_AUDIENCE_SETTINGS,
} from '#runtime/store/settings.ts';
import { JOB_LIMITS } from '#runtime/zip-request/job-limits.ts';
import { partSizeFor } from '#runtime/zip-request/part-sizes.ts';
import {
  PROGRESS_INTERVAL_MS,
  ZIPPER_SETTINGS,
  type ZipperSettings,
} from '#runtime/zip-request/zipper-settings.ts';
import { SOURCE_CONSTANTS } from './sources/settings.ts';
import { TaskError } from './status/task-error.ts';
import { STS_CONSTANTS } from './store/sts-settings.ts';
import { validateSettings, validateVariables } from './validators/settings.ts';

/** Time limit to abort the upload after SIGTERM; less than the grace period of the pod. */
export const SHUTDOWN_TIMEOUT_MS = 25_000;

export const ZIPPER_CONSTANTS = {
  ...SOURCE_CONSTANTS,
  ...STS_CONSTANTS,
  /** Maximum bytes of the archive. The controller gives that of the project. */
  maxArchiveBytes: JOB_LIMITS.archiveBytes,
  /** Bytes of the largest parts. They follow from the maximum of the archive. */
  partSizeBytes: partSizeFor(JOB_LIMITS.archiveBytes),
  /** Time limit to connect to the store. */
  storeConnectTimeoutMs: 10_000,
  /** Longest time without a byte to or from the store within a request: a store may need that long to assemble an archive. */
  storeIdleTimeoutMs: 60_000,
  /** Longest wait before the first retry of a request; doubles for each further one. */
  storeRetryBaseMs: 200,
  /** Longest wait before a retry, also if the store requests a longer one, so that a store that is back is noticed soon. */
  storeRetryMaxMs: 20_000,
  /** How long requests are repeated when the store rejects the keys of the bucket: longer than the kubelet takes to update a Secret. */
  storeKeysLimitMs: 120_000,
  /** How long a pod waits on shutdown for the response to the start of its upload, to abort it; less than SHUTDOWN_TIMEOUT_MS. */
  storeStartGraceMs: 10_000,
  /** Time limit of a recovery or check-bucket pod: less than that of the controller, and more than twice STORE_CONSISTENCY_MS. */
  recoveryLimitMs: 110_000,
  /** Interval at which a pod checks whether it is active. */
  statusActivationIntervalMs: 1_000,
  /** Shortest interval between two progress writes; the controller asks for longer ones when many jobs run. */
  statusProgressIntervalMs: PROGRESS_INTERVAL_MS,
  /** Shortest interval between two checkpoints, plus a random fifth; longer while many jobs run. */
  checkpointIntervalMs: 30_000,
  /** Time limit of one status write: longer than the API server's own. */
  statusRequestTimeoutMs: 35_000,
  /** How long the API server may refuse status writes without naming another active pod: one that starts refuses for some seconds. */
  statusRefusalLimitMs: 30_000,
  /** Longest wait before the first retry of a status write; doubles for each further one. */
  statusRetryBaseMs: 500,
  /** Longest wait between two retries of a status write. */
  statusRetryMaxMs: 10_000,
};

/** What a zipper must know before it reads its task, and the rules of the operator, which the policy of the chart keeps. */
export const ZIPPER_VARIABLES = {
  ...LOG_SETTINGS,
  taskFile: {
    env: ZIPPER_ENV.taskFile,
    type: 'string',
    default: ZIPPER_PATHS.taskFile,
    description: 'the task of this pod',
    setBy: 'the controller',
  },
  bucketDir: {
    env: ZIPPER_ENV.bucketDir,
    type: 'string',
    default: ZIPPER_PATHS.bucketDir,
    description: "directory with the bucket's credentials",
    setBy: 'the controller',
  },
  sourcesDir: {
    env: ZIPPER_ENV.sourcesDir,
    type: 'string',
    default: ZIPPER_PATHS.sourcesDir,
    description: 'directory with the credentials of source buckets',
    setBy: 'the controller',
  },
  filesDir: {
    env: ZIPPER_ENV.filesDir,
    type: 'string',
    default: ZIPPER_PATHS.filesDir,
    description: 'directory with the file list',
    setBy: 'the controller',
  },
  serviceAccountDir: {
    env: ZIPPER_ENV.serviceAccountDir,
    type: 'string',
    default: ZIPPER_PATHS.serviceAccountDir,
    description: "directory with the pod's token and ca.crt",
    setBy: 'the controller',
  },
  podUid: {
    env: ZIPPER_ENV.podUid,
    type: 'string',
    minLength: 1,
    description: 'UID of this pod, which identifies the attempt',
    setBy: 'the kubelet',
  },
  traceparent: {
    env: ZIPPER_ENV.traceparent,
    type: 'string',
    default: '',
    description: 'W3C trace context of the request; every log line contains its trace ID',
    setBy: 'the controller',
  },
  apiServerHost: {
    env: 'KUBERNETES_SERVICE_HOST',
    type: 'string',
    default: 'kubernetes.default.svc',
    description: 'host of the API server',
    setBy: 'the kubelet',
  },
  apiServerPort: {
    env: 'KUBERNETES_SERVICE_PORT',
    type: 'integer',
    default: 443,
    minimum: 1,
    maximum: 65_535,
    description: 'port of the API server',
    setBy: 'the kubelet',
  },
  ...EGRESS_SETTINGS,
  ...SOURCE_PROXY_SETTINGS,
  ...STORE_PROXY_SETTINGS,
  ...STORE_RULE_SETTINGS,
  ...STORE_ADDRESS_SETTINGS,
  ...TOKEN_AUDIENCE_SETTINGS,
  ...STS_HOST_SETTINGS,
  trustBundle: {
    env: ZIPPER_ENV.trustBundle,
    type: 'string',
    default: '',
    description:
      'certificate authorities in addition to the public ones, as PEM, which the controller copies here',
    setBy: 'the controller',
  },
} as const satisfies Settings;

export type PodConfig = ConfigOf<typeof ZIPPER_VARIABLES>;
export type ZipperConfig = PodConfig & ZipperSettings & ValuesOf<typeof ZIPPER_CONSTANTS>;

/** @throws ConfigError that lists every invalid variable. */
export function readPodConfig(env: Readonly<Record<string, string | undefined>>): PodConfig {
  return readSettings(ZIPPER_VARIABLES, env, validateVariables);
}

/** The values of a task without settings. */
export const ZIPPER_DEFAULTS = { ...ZIPPER_CONSTANTS, ...defaultsOf(ZIPPER_SETTINGS) };

/** The configuration for a task with these settings. @throws TaskError for invalid ones */
export function withTaskSettings(config: PodConfig, settings: ZipperTask['settings']): ZipperConfig {
  const values: typeof ZIPPER_DEFAULTS = Object.assign({ ...ZIPPER_DEFAULTS }, settings);
  const validate: Validator = validateSettings;
  if (validate(values)) return { ...config, ...values };
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath.slice(1)} ${message ?? 'is invalid'}`,
  );
  throw new TaskError(
    `Could not read the settings of the task: ${problems.join(', ')}; use the same release for the controller and the zipper`,
  );
}

/** Path of the termination message; read separately, because it also reports invalid settings. */
export function terminationLogPath(env: Readonly<Record<string, string | undefined>>): string {
  return env[ZIPPER_ENV.terminationLog] ?? ZIPPER_PATHS.terminationLog;
}
