import type { Settings } from '#runtime/config.ts';

/** How long buckets are tested, and what is waited for when something is deleted. */
export const DELETION_SETTINGS = {
  bucketTestSeconds: {
    env: 'BUCKET_TEST_SECONDS',
    type: 'integer',
    minimum: 5,
    maximum: 600,
    default: 120,
    description: 'how long the test of a bucket may take before it counts as failed',
  },
  projectDeletionSeconds: {
    env: 'PROJECT_DELETION_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    default: 300,
    description: 'how long the deletion of a ZipProject waits for its jobs to end and its buckets to go',
  },
} as const satisfies Settings;
