import { milliseconds, type Settings } from '#runtime/config.ts';

/** How finished ZipJobs are stored in the history, and for how long. Used only with HISTORY_HOST. */
export const ARCHIVE_SETTINGS = {
  archivedTtlSeconds: {
    env: 'ARCHIVED_TTL_SECONDS',
    type: 'integer',
    minimum: 60,
    default: 3600,
    description:
      'how long a finished ZipJob is kept once the history has it, counted from its end; not longer than its own TTL, and not shorter than its file list, its Kubernetes Jobs and their pods',
  },
  archivePendingSeconds: {
    env: 'ARCHIVE_PENDING_SECONDS',
    type: 'integer',
    minimum: 1,
    default: 300,
    description:
      'how long the history waits for the webhook of a finished ZipJob and for the exit of its pod; after that, the job is stored before they end and again afterwards',
  },
  archiveBatchRows: {
    env: 'ARCHIVE_BATCH_ROWS',
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 100,
    description: 'maximum ZipJobs that one transaction stores',
  },
  archiveBatchBytes: {
    env: 'ARCHIVE_BATCH_BYTES',
    type: 'integer',
    minimum: 1,
    default: 8_388_608,
    description:
      'bytes of ZipJobs after which a batch is stored; the ZipJobs that are read at the same time can exceed it',
  },
  archiveBatchWaitMs: milliseconds(
    'ARCHIVE_BATCH_WAIT_MS',
    1_000,
    'how long a batch waits for more finished ZipJobs',
  ),
  archiveConcurrency: {
    env: 'ARCHIVE_CONCURRENCY',
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: 4,
    description: 'maximum concurrent requests to the API server for the history',
  },
  archiveQueueLength: {
    env: 'ARCHIVE_QUEUE_LENGTH',
    type: 'integer',
    minimum: 1,
    default: 100_000,
    description:
      'maximum names of finished ZipJobs in memory that wait for the history; further ones are found again when these are stored',
  },
  archiveRetrySeconds: {
    env: 'ARCHIVE_RETRY_SECONDS',
    type: 'integer',
    minimum: 1,
    maximum: 3600,
    default: 30,
    description: 'longest wait between two attempts while the history database does not respond',
  },
  historyWhenFull: {
    env: 'HISTORY_WHEN_FULL',
    type: 'string',
    enum: ['refuse', 'drop'],
    default: 'refuse',
    description:
      'when a project has reached its limit of stored jobs and the history database is unavailable. refuse: the API accepts no further jobs. drop: the oldest jobs that the history lacks are deleted',
  },
  historyRetentionDays: {
    env: 'HISTORY_RETENTION_DAYS',
    type: 'integer',
    minimum: 1,
    maximum: 3650,
    default: 90,
    description:
      'days after which the history drops jobs; spec.historyRetentionDays of a ZipProject can be lower',
  },
} as const satisfies Settings;
