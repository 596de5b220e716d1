import type { Settings } from '#runtime/config.ts';
import { LOG_LEVELS } from '#runtime/log.ts';

/** Identity of every process in this folder. */
export const IDENTITY_SETTINGS = {
  logLevel: {
    env: 'LOG_LEVEL',
    type: 'string',
    enum: LOG_LEVELS,
    default: 'info',
    description: 'minimum log level',
  },
  podName: { env: 'POD_NAME', type: 'string', minLength: 1, description: 'name of this pod' },
  podNamespace: { env: 'POD_NAMESPACE', type: 'string', minLength: 1, description: 'namespace of this pod' },
} as const satisfies Settings;
