import type { Settings } from '#runtime/config/config.ts';
import { LOG_SETTINGS } from '#runtime/config/log-settings.ts';

/** Identity of every process in this folder. */
export const IDENTITY_SETTINGS = {
  ...LOG_SETTINGS,
  podName: {
    env: 'POD_NAME',
    type: 'string',
    minLength: 1,
    description: 'name of this pod',
    setBy: 'the kubelet',
  },
  podNamespace: {
    env: 'POD_NAMESPACE',
    type: 'string',
    minLength: 1,
    description: 'namespace of this pod',
    setBy: 'the kubelet',
  },
} as const satisfies Settings;
