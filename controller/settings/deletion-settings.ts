import type { Settings } from '#runtime/config.ts';

/** Limits of bucket tests, and time limits of deletions. */
export const DELETION_SETTINGS = {
  bucketTestSeconds: {
    env: 'BUCKET_TEST_SECONDS',
    type: 'integer',
    minimum: 5,
    maximum: 600,
    default: 120,
    description: 'time limit of a bucket test',
  },
  maxBucketTests: {
    env: 'MAX_BUCKET_TESTS',
    type: 'integer',
    minimum: 1,
    default: 20,
    description: 'maximum bucket tests that run at the same time',
  },
  maxBucketTestsPerProject: {
    env: 'MAX_BUCKET_TESTS_PER_PROJECT',
    type: 'integer',
    minimum: 1,
    default: 4,
    description: 'maximum bucket tests of a project that run at the same time',
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
