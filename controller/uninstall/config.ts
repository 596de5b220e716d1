import { type ConfigOf, readConfig, type Settings } from '#runtime/config.ts';
import { KUBE_SETTINGS } from '#runtime/kube/settings.ts';
import { IDENTITY_SETTINGS } from '../settings/identity-settings.ts';

const UNINSTALL_SETTINGS = {
  ...KUBE_SETTINGS,
  ...IDENTITY_SETTINGS,
  leaseName: {
    env: 'LEASE_NAME',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'Lease of the controllers that are to stop',
  },
  serviceAccountName: {
    env: 'CONTROLLER_SERVICE_ACCOUNT',
    type: 'string',
    default: 'zipjobs-controller',
    description: 'service account of the controllers; the Lease goes with it',
  },
  quietSeconds: {
    env: 'QUIET_SECONDS',
    type: 'integer',
    minimum: 0,
    default: 4,
    description: 'between two looks; a leader that lost its Lease has noticed by then',
  },
  limitSeconds: {
    env: 'LIMIT_SECONDS',
    type: 'integer',
    minimum: 1,
    default: 90,
    description: 'after this long the work ends, done or not',
  },
} as const satisfies Settings;
export type UninstallConfig = ConfigOf<typeof UNINSTALL_SETTINGS>;

/** @throws ConfigError that names every bad variable at once. */
export const readUninstallConfig = (env: Readonly<Record<string, string | undefined>>): UninstallConfig =>
  readConfig(UNINSTALL_SETTINGS, env);
