import { type ConfigOf, LONGEST_TIMER_SECONDS, type Settings } from '#runtime/config.ts';
import { KUBE_SETTINGS } from '#runtime/kube/settings.ts';
import { readConfig } from '#runtime/read-config.ts';
import { IDENTITY_SETTINGS } from '../settings/identity-settings.ts';

const UNINSTALL_SETTINGS = {
  ...KUBE_SETTINGS,
  ...IDENTITY_SETTINGS,
  leaseName: {
    env: 'LEASE_NAME',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'Lease of the controllers to stop',
  },
  serviceAccountName: {
    env: 'CONTROLLER_SERVICE_ACCOUNT',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'service account of the controllers; the Lease is deleted with it',
  },
  quietSeconds: {
    env: 'QUIET_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: LONGEST_TIMER_SECONDS,
    default: 4,
    description: 'interval between two checks; long enough for a leader to notice that it lost its Lease',
  },
  limitSeconds: {
    env: 'LIMIT_SECONDS',
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_TIMER_SECONDS,
    default: 90,
    description: 'time limit, after which the work stops',
  },
} as const satisfies Settings;
export type UninstallConfig = ConfigOf<typeof UNINSTALL_SETTINGS>;

/** @throws ConfigError that lists every invalid variable. */
export function readUninstallConfig(env: Readonly<Record<string, string | undefined>>): UninstallConfig {
  return readConfig(UNINSTALL_SETTINGS, env);
}
