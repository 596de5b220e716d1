import { LOG_LEVELS } from '../log/log.ts';
import type { Settings } from './config.ts';

export const LOG_SETTINGS = {
  logLevel: {
    env: 'LOG_LEVEL',
    type: 'string',
    enum: LOG_LEVELS,
    default: 'info',
    description: 'minimum log level',
    changeWhen: 'set debug when a log does not explain an error',
  },
} as const satisfies Settings;
