import type { Settings } from '#runtime/config/config.ts';

/** How finished ZipJobs are stored in the history, and for how long. Used only with HISTORY_HOST. */
export const ARCHIVE_SETTINGS = {
  archiveConcurrency: {
    env: 'ARCHIVE_CONCURRENCY',
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: 4,
    description: 'maximum concurrent requests to the API server for the history',
    changeWhen: 'raise it when zip_history_pending grows without failures',
  },
  historyWhenFull: {
    env: 'HISTORY_WHEN_FULL',
    type: 'string',
    enum: ['refuse', 'drop'],
    default: 'refuse',
    description:
      'when a project has reached its limit of stored jobs and the history database is unavailable. refuse: the API accepts no further jobs. drop: the oldest jobs that the history lacks are deleted',
    changeWhen: 'set drop when new jobs matter more than complete records while the database is away',
  },
  historyRetentionDays: {
    env: 'HISTORY_RETENTION_DAYS',
    type: 'integer',
    minimum: 1,
    maximum: 3650,
    default: 90,
    description:
      'days after which the history drops jobs; spec.historyRetentionDays of a ZipProject can be lower',
    changeWhen: 'raise it when reports need older jobs; lower it when the database needs too much room',
  },
} as const satisfies Settings;

export const ARCHIVE_CONSTANTS = {
  /** How long a finished ZipJob is kept once the history has it: kubectl and the pages of jobs still show a job of the last hour. */
  archivedTtlSeconds: 3_600,
  /** How long the history waits for the webhook and the pod of a finished job, so that most jobs are stored once. */
  archivePendingSeconds: 300,
  /** ZipJobs that one transaction stores: more of them make it no faster. */
  archiveBatchRows: 100,
  /** Bytes of ZipJobs after which a batch is stored: they are in the memory of the leader. */
  archiveBatchBytes: 8_388_608,
  /** How long a batch waits for more jobs: a second late is not noticed, and saves most transactions. */
  archiveBatchWaitMs: 1_000,
  /** Names of finished jobs in memory, 10 MiB; further ones are found again when these are stored. */
  archiveQueueLength: 100_000,
  /** Longest wait between two attempts while the database does not respond: it is noticed within half a minute that it is back. */
  archiveRetrySeconds: 30,
};
