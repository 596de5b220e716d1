import { type ConfigOf, LONGEST_TIMER_SECONDS, milliseconds, type Settings } from '#runtime/config.ts';
import { LOG_SETTINGS } from '#runtime/log-settings.ts';
import { readConfig } from '#runtime/read-config.ts';

const RELEASE_CHECK_SETTINGS = {
  ...LOG_SETTINGS,
  apiUrl: {
    env: 'API_SERVICE_URL',
    type: 'string',
    minLength: 1,
    description: 'URL of the Service of the API, with its base path',
  },
  controllerUrl: {
    env: 'CONTROLLER_SERVICE_URL',
    type: 'string',
    minLength: 1,
    description: 'URL of the Service of the controller',
  },
  dashboardUrl: {
    env: 'DASHBOARD_SERVICE_URL',
    type: 'string',
    default: '',
    description: 'URL of the Service of the dashboard; empty if there is no dashboard',
  },
  namespace: {
    env: 'POD_NAMESPACE',
    type: 'string',
    minLength: 1,
    description: 'namespace of the release',
  },
  instance: { env: 'INSTANCE', type: 'string', minLength: 1, description: 'name of the release' },
  timeoutSeconds: {
    env: 'TIMEOUT_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: LONGEST_TIMER_SECONDS,
    default: 60,
    description: 'time after which failed checks are not repeated, in seconds',
  },
  requestTimeoutMs: milliseconds('REQUEST_TIMEOUT_MS', 10_000, 'time limit of one request'),
  retryPauseMs: milliseconds('RETRY_PAUSE_MS', 1_000, 'time between two requests of a check'),
} as const satisfies Settings;
export type ReleaseCheckConfig = ConfigOf<typeof RELEASE_CHECK_SETTINGS>;

/** @throws ConfigError that lists every invalid variable. */
export function readReleaseCheckConfig(
  env: Readonly<Record<string, string | undefined>>,
): ReleaseCheckConfig {
  return readConfig(RELEASE_CHECK_SETTINGS, env);
}
