import { type ConfigOf, LONGEST_TIMER_SECONDS, type Settings } from '#runtime/config/config.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import { KUBE_CONSTANTS, KUBE_SETTINGS } from '#runtime/kube/client/settings.ts';
import { IDENTITY_SETTINGS } from '../../config/identity-settings.ts';

export const UNINSTALL_SETTINGS = {
  ...KUBE_SETTINGS,
  ...IDENTITY_SETTINGS,
  leaseName: {
    env: 'LEASE_NAME',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'Lease of the controllers to stop',
    setBy: 'the chart',
  },
  serviceAccountName: {
    env: 'CONTROLLER_SERVICE_ACCOUNT',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'service account of the controllers; the Lease is deleted with it',
    setBy: 'the chart',
  },
  limitSeconds: {
    env: 'LIMIT_SECONDS',
    type: 'integer',
    // Two checks, and a leader that is slow to stop.
    minimum: 20,
    maximum: LONGEST_TIMER_SECONDS,
    default: 90,
    description: 'time limit, after which the work stops',
    changeWhen: 'raise it when helm uninstall fails because many objects have to be released',
  },
} as const satisfies Settings;

const UNINSTALL_CONSTANTS = {
  ...KUBE_CONSTANTS,
  /** Interval between two checks: long enough for a leader to notice that it lost its Lease. */
  quietSeconds: 4,
};
export type UninstallConfig = ConfigOf<typeof UNINSTALL_SETTINGS> & ValuesOf<typeof UNINSTALL_CONSTANTS>;

/** @throws ConfigError that lists every invalid variable. */
export function readUninstallConfig(env: Readonly<Record<string, string | undefined>>): UninstallConfig {
  return readConfig(UNINSTALL_SETTINGS, env, UNINSTALL_CONSTANTS);
}
