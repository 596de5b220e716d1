import { type ConfigOf, LONGEST_TIMER_SECONDS, type Settings } from '#runtime/config/config.ts';
import { LOG_SETTINGS } from '#runtime/config/log-settings.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import { KUBE_CONSTANTS, KUBE_SETTINGS } from '#runtime/kube/client/settings.ts';

export const RELEASE_CHECK_SETTINGS = {
  ...LOG_SETTINGS,
  serviceAccountDir: KUBE_SETTINGS.serviceAccountDir,
  kubernetesHost: KUBE_SETTINGS.kubernetesHost,
  kubernetesPort: KUBE_SETTINGS.kubernetesPort,
  apiUrl: {
    env: 'API_SERVICE_URL',
    type: 'string',
    minLength: 1,
    description: 'URL of the Service of the API, with its base path',
    setBy: 'the chart',
  },
  controllerUrl: {
    env: 'CONTROLLER_SERVICE_URL',
    type: 'string',
    minLength: 1,
    description: 'URL of the Service of the controller',
    setBy: 'the chart',
  },
  dashboardUrl: {
    env: 'DASHBOARD_SERVICE_URL',
    type: 'string',
    default: '',
    description: 'URL of the Service of the dashboard; empty if there is no dashboard',
    setBy: 'the chart',
  },
  namespace: {
    env: 'POD_NAMESPACE',
    type: 'string',
    minLength: 1,
    description: 'namespace of the release',
    setBy: 'the kubelet',
  },
  instance: {
    env: 'INSTANCE',
    type: 'string',
    minLength: 1,
    description: 'name of the release',
    setBy: 'the chart',
  },
  timeoutSeconds: {
    env: 'TIMEOUT_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: LONGEST_TIMER_SECONDS,
    default: 60,
    description: 'time after which failed checks are not repeated, in seconds',
    changeWhen: 'raise it when helm test fails because the pods of the release start slowly',
  },
} as const satisfies Settings;

const RELEASE_CHECK_CONSTANTS = {
  ...KUBE_CONSTANTS,
  /** Time limit of one request: a check is repeated anyway. */
  requestTimeoutMs: 10_000,
  /** Time between two requests of a check. */
  retryPauseMs: 1_000,
};
export type ReleaseCheckConfig = ConfigOf<typeof RELEASE_CHECK_SETTINGS> &
  ValuesOf<typeof RELEASE_CHECK_CONSTANTS>;

/** @throws ConfigError that lists every invalid variable. */
export function readReleaseCheckConfig(
  env: Readonly<Record<string, string | undefined>>,
): ReleaseCheckConfig {
  return readConfig(RELEASE_CHECK_SETTINGS, env, RELEASE_CHECK_CONSTANTS);
}
