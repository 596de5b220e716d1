import { MOST_FILES } from '#crds/zip-job.ts';
import type { Settings } from '../config.ts';

/** Limits of a new job, for every process that creates one. */
export const REQUEST_LIMIT_SETTINGS = {
  maxFiles: {
    env: 'MAX_FILES',
    type: 'integer',
    minimum: 1,
    maximum: MOST_FILES,
    default: MOST_FILES,
    description: 'maximum files of one archive',
  },
  maxUrlLength: {
    env: 'MAX_URL_LENGTH',
    type: 'integer',
    minimum: 64,
    maximum: 16_384,
    default: 8_192,
    description: 'maximum characters of a source URL',
  },
  maxKeyBytes: {
    env: 'MAX_KEY_BYTES',
    type: 'integer',
    minimum: 1,
    maximum: 1_024,
    default: 1_024,
    description: 'maximum bytes (UTF-8) of an object key',
  },
} as const satisfies Settings;
