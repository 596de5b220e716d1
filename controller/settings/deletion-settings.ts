import type { Settings } from '#runtime/config.ts';

/** Time limits of bucket tests and deletions. */
export const DELETION_SETTINGS = {
  bucketTestSeconds: {
    env: 'BUCKET_TEST_SECONDS',
    type: 'integer',
    minimum: 5,
    maximum: 600,
    default: 120,
    description: 'time limit of a bucket test',
  },
  projectDeletionSeconds: {
    env: 'PROJECT_DELETION_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    default: 300,
    description: 'how long the deletion of a ZipProject waits for its jobs and buckets',
  },
} as const satisfies Settings;
