import type { Settings } from '#runtime/config.ts';

/** What the API server has to do for progress and counts, however many jobs run. */
export const WRITE_BUDGET_SETTINGS = {
  progressWritesPerSecond: {
    env: 'PROGRESS_WRITES_PER_SECOND',
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 50,
    description:
      'progress writes per second of all running zippers together; with more jobs, each writes less often, up to PROGRESS_INTERVAL_MAX_SECONDS',
  },
  progressBytesPerSecond: {
    env: 'PROGRESS_BYTES_PER_SECOND',
    type: 'integer',
    minimum: 1024,
    default: 1_048_576,
    description:
      'bytes per second that the API server stores for progress: each write stores its whole ZipJob, so that large ones are written less often',
  },
  progressIntervalMaxSeconds: {
    env: 'PROGRESS_INTERVAL_MAX_SECONDS',
    type: 'integer',
    minimum: 2,
    maximum: 3600,
    default: 120,
    description:
      'maximum interval between two progress writes of a zipper; takes precedence over the budgets',
  },
  bucketCountWritesPerSecond: {
    env: 'BUCKET_COUNT_WRITES_PER_SECOND',
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 20,
    description: 'writes per second of the counts of unfinished jobs of all ZipBuckets together',
  },
} as const satisfies Settings;
