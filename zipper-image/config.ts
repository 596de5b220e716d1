import { ZIPPER_ENV, ZIPPER_PATHS } from '#crds/zipper-contract.ts';
import { type ConfigOf, readSettings, type Settings } from '#runtime/config.ts';
import { SOURCE_PROXY_SETTINGS, STORE_PROXY_SETTINGS } from '#runtime/egress/proxy/settings.ts';
import { EGRESS_SETTINGS } from '#runtime/egress/settings.ts';
import { ConfigError } from '#runtime/errors.ts';
import { JOB_LIMITS } from '#runtime/job-limits.ts';
import { LOG_SETTINGS } from '#runtime/log-settings.ts';
import { STORE_ADDRESS_SETTINGS, STORE_RULE_SETTINGS } from '#runtime/store/settings.ts';
import { SOURCE_SETTINGS } from './sources/settings.ts';
import { STS_SETTINGS } from './store/sts-settings.ts';
import { validateSettings } from './validators/settings.ts';

const MIB = 1024 * 1024;

const UPLOAD_SETTINGS = {
  partSizeBytes: {
    env: 'PART_SIZE_BYTES',
    type: 'integer',
    default: 16 * MIB,
    minimum: 5 * MIB,
    maximum: 1024 * MIB,
    description: 'bytes of each part of the upload; an archive has at most 10,000 parts',
  },
  partsInFlight: {
    env: 'PARTS_IN_FLIGHT',
    type: 'integer',
    default: 2,
    minimum: 1,
    maximum: 32,
    description:
      'parts uploaded concurrently; one more is being filled, so memory is (this + 1) x PART_SIZE_BYTES',
  },
  maxArchiveBytes: {
    env: 'MAX_ARCHIVE_BYTES',
    type: 'integer',
    default: JOB_LIMITS.archiveBytes,
    minimum: 1,
    description: 'maximum bytes of an archive',
  },
} as const satisfies Settings;

const ARCHIVE_SETTINGS = {
  sourceUnknownLengthZip64: {
    env: 'SOURCE_UNKNOWN_LENGTH_ZIP64',
    type: 'boolean',
    default: false,
    description:
      'allows files without Content-Length to exceed 4 GiB; their entries are then zip64, which java.util.zip.ZipInputStream before JDK 21 and Archive::Zip cannot read',
  },
} as const satisfies Settings;

const STORE_SETTINGS = {
  ...STORE_RULE_SETTINGS,
  ...STORE_ADDRESS_SETTINGS,
  ...STS_SETTINGS,
  storeConnectTimeoutMs: {
    env: 'STORE_CONNECT_TIMEOUT_MS',
    type: 'integer',
    default: 10_000,
    minimum: 1,
    description: 'time limit to connect to the store',
  },
  storeIdleTimeoutMs: {
    env: 'STORE_IDLE_TIMEOUT_MS',
    type: 'integer',
    default: 60_000,
    minimum: 1,
    description: 'maximum time without a byte to or from the store within a request',
  },
  storeRetryLimitMs: {
    env: 'STORE_RETRY_LIMIT_MS',
    type: 'integer',
    default: 600_000,
    minimum: 0,
    description:
      'how long requests to the store are retried while none of their kind succeeds: the start of an upload, its parts, its completion; 0 sends each once',
  },
  storeRetryBaseMs: {
    env: 'STORE_RETRY_BASE_MS',
    type: 'integer',
    default: 200,
    minimum: 1,
    description:
      'maximum wait before the first retry of a request; doubles for each further one, and is at least half of it',
  },
  storeRetryMaxMs: {
    env: 'STORE_RETRY_MAX_MS',
    type: 'integer',
    default: 20_000,
    minimum: 1,
    description: 'maximum wait before a retry, also if the store requests a longer one (Retry-After)',
  },
  storeStartGraceMs: {
    env: 'STORE_START_GRACE_MS',
    type: 'integer',
    default: 10_000,
    minimum: 0,
    description:
      'how long a pod waits on shutdown for the response to the start of its upload, to abort it; must be less than SHUTDOWN_TIMEOUT_MS',
  },
  storeConsistencyMs: {
    env: 'STORE_CONSISTENCY_MS',
    type: 'integer',
    default: 15_000,
    minimum: 0,
    maximum: 30_000,
    description:
      'how long responses of the store may show an earlier state; an archive of an interrupted attempt counts as absent only after this time, and its completion may take this long in addition to 1 s per 20 MiB; must be less than half of RECOVERY_LIMIT_MS',
  },
  recoveryLimitMs: {
    env: 'RECOVERY_LIMIT_MS',
    type: 'integer',
    default: 110_000,
    minimum: 1,
    description: 'time limit of a recovery or check-bucket pod',
  },
} as const satisfies Settings;

const STATUS_SETTINGS = {
  statusActivationIntervalMs: {
    env: 'STATUS_ACTIVATION_INTERVAL_MS',
    type: 'integer',
    default: 1000,
    minimum: 10,
    description: 'interval at which a pod checks whether it is active',
  },
  statusProgressIntervalMs: {
    env: 'STATUS_PROGRESS_INTERVAL_MS',
    type: 'integer',
    default: 2000,
    minimum: 100,
    description: 'minimum interval between two progress writes',
  },
  statusRequestTimeoutMs: {
    env: 'STATUS_REQUEST_TIMEOUT_MS',
    type: 'integer',
    default: 35_000,
    minimum: 1,
    description: 'time limit of one status write',
  },
  statusRefusalLimitMs: {
    env: 'STATUS_REFUSAL_LIMIT_MS',
    type: 'integer',
    default: 30_000,
    minimum: 0,
    description:
      'how long the API server may refuse the status writes of a pod, without saying that another pod is active, before the pod ends; a server that starts refuses writes for some seconds',
  },
  statusRetryBaseMs: {
    env: 'STATUS_RETRY_BASE_MS',
    type: 'integer',
    default: 500,
    minimum: 1,
    description: 'maximum wait before the first retry of a status write; doubles for each further retry',
  },
  statusRetryMaxMs: {
    env: 'STATUS_RETRY_MAX_MS',
    type: 'integer',
    default: 10_000,
    minimum: 1,
    description: 'maximum wait between two retries of a status write',
  },
} as const satisfies Settings;

const POD_SETTINGS = {
  ...LOG_SETTINGS,
  taskFile: {
    env: ZIPPER_ENV.taskFile,
    type: 'string',
    default: ZIPPER_PATHS.taskFile,
    description: 'the task of this pod',
  },
  bucketDir: {
    env: ZIPPER_ENV.bucketDir,
    type: 'string',
    default: ZIPPER_PATHS.bucketDir,
    description: "directory with the bucket's credentials",
  },
  filesDir: {
    env: ZIPPER_ENV.filesDir,
    type: 'string',
    default: ZIPPER_PATHS.filesDir,
    description: 'directory with the file list',
  },
  serviceAccountDir: {
    env: ZIPPER_ENV.serviceAccountDir,
    type: 'string',
    default: ZIPPER_PATHS.serviceAccountDir,
    description: "directory with the pod's token and ca.crt",
  },
  podUid: {
    env: ZIPPER_ENV.podUid,
    type: 'string',
    minLength: 1,
    description: 'UID of this pod, which identifies the attempt',
  },
  traceparent: {
    env: ZIPPER_ENV.traceparent,
    type: 'string',
    default: '',
    description: 'W3C trace context of the request; every log line contains its trace ID',
  },
  apiServerHost: {
    env: 'KUBERNETES_SERVICE_HOST',
    type: 'string',
    default: 'kubernetes.default.svc',
    description: 'host of the API server',
  },
  apiServerPort: {
    env: 'KUBERNETES_SERVICE_PORT',
    type: 'integer',
    default: 443,
    minimum: 1,
    maximum: 65_535,
    description: 'port of the API server',
  },
  ...EGRESS_SETTINGS,
  ...SOURCE_PROXY_SETTINGS,
  ...STORE_PROXY_SETTINGS,
  trustBundle: {
    env: ZIPPER_ENV.trustBundle,
    type: 'string',
    default: '',
    description:
      'certificate authorities in addition to the public ones, as PEM, which the controller copies here',
  },
  shutdownTimeoutMs: {
    env: 'SHUTDOWN_TIMEOUT_MS',
    type: 'integer',
    default: 25_000,
    minimum: 1,
    description:
      'time limit to abort the upload after SIGTERM; must be less than the grace period of the pod',
  },
} as const satisfies Settings;

/** Every setting of the zipper. */
export const ZIPPER_SETTINGS = {
  ...POD_SETTINGS,
  ...UPLOAD_SETTINGS,
  ...ARCHIVE_SETTINGS,
  ...STORE_SETTINGS,
  ...STATUS_SETTINGS,
  ...SOURCE_SETTINGS,
} as const satisfies Settings;

export type ZipperConfig = ConfigOf<typeof ZIPPER_SETTINGS>;

/** Otherwise no interrupted commit could be recovered, and no upload that is being started could be aborted. */
function problemsOf(config: ZipperConfig): readonly string[] {
  return [
    ...(config.storeConsistencyMs * 2 < config.recoveryLimitMs
      ? []
      : ['STORE_CONSISTENCY_MS must be less than half of RECOVERY_LIMIT_MS']),
    ...(config.storeStartGraceMs < config.shutdownTimeoutMs
      ? []
      : ['STORE_START_GRACE_MS must be less than SHUTDOWN_TIMEOUT_MS']),
  ];
}

/** @throws ConfigError that lists every invalid variable. */
export function readZipperConfig(env: Readonly<Record<string, string | undefined>>): ZipperConfig {
  const config = readSettings(ZIPPER_SETTINGS, env, validateSettings);
  const problems = problemsOf(config);
  if (problems.length > 0) throw new ConfigError(`Invalid settings:\n  ${problems.join('\n  ')}`);
  return config;
}

/** Path of the termination message; read separately, because it also reports invalid settings. */
export function terminationLogPath(env: Readonly<Record<string, string | undefined>>): string {
  return env[ZIPPER_ENV.terminationLog] ?? ZIPPER_PATHS.terminationLog;
}
