import { MOST_FILES } from '#crds/zip-job.ts';
import type { Settings } from '../config/config.ts';

/** Limits of a new job, for every process that creates one. */
export const REQUEST_LIMIT_SETTINGS = {
  maxFiles: {
    env: 'MAX_FILES',
    type: 'integer',
    minimum: 1,
    maximum: MOST_FILES,
    default: MOST_FILES,
    description: 'maximum files of one archive',
    changeWhen: 'lower it when archives of many files are too slow for you',
  },
  maxUrlLength: {
    env: 'MAX_URL_LENGTH',
    type: 'integer',
    minimum: 64,
    maximum: 16_384,
    default: 8_192,
    description: 'maximum characters of a source URL',
    changeWhen: 'raise it when presigned URLs are refused as too long',
  },
} as const satisfies Settings;

export const REQUEST_LIMIT_CONSTANTS = {
  /** Bytes (UTF-8) of an object key, as S3 allows. */
  maxKeyBytes: 1_024,
};
