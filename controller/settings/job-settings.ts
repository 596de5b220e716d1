import type { Settings } from '#runtime/config.ts';
import { JOB_LIMITS } from '#runtime/job-limits.ts';

/** Concurrency and time limits of jobs. */
export const JOB_SETTINGS = {
  maxActiveJobs: {
    env: 'MAX_ACTIVE_JOBS',
    type: 'integer',
    minimum: 0,
    default: 100,
    description:
      'maximum running jobs in total; a project without a running job may exceed it by one, up to a tenth in all; 0 starts no new jobs',
  },
  maxActiveJobsPerBucket: {
    env: 'MAX_ACTIVE_JOBS_PER_BUCKET',
    type: 'integer',
    minimum: 0,
    default: 50,
    description: 'maximum running jobs of a bucket',
  },
  jobCreateRate: {
    env: 'JOB_CREATE_RATE',
    type: 'integer',
    minimum: 1,
    default: 100,
    description: 'Kubernetes Jobs created per second',
  },
  jobCreateBurst: {
    env: 'JOB_CREATE_BURST',
    type: 'integer',
    minimum: 1,
    default: 200,
    description: 'burst above JOB_CREATE_RATE',
  },
  trustedQueues: {
    env: 'TRUSTED_QUEUES',
    type: 'array',
    default: [],
    description: 'values of spec.queueName whose jobs are limited by the queue alone; * for every queue',
  },
  activeDeadlineSeconds: {
    env: 'ACTIVE_DEADLINE_SECONDS',
    type: 'integer',
    minimum: 60,
    maximum: 86_400,
    default: JOB_LIMITS.seconds,
    description: 'default activeDeadlineSeconds of a ZipJob',
  },
  succeededTtlSeconds: {
    env: 'SUCCEEDED_TTL_SECONDS',
    type: 'integer',
    minimum: 86_400,
    default: JOB_LIMITS.ttlSeconds,
    description: 'default ttlSecondsAfterFinished of a succeeded ZipJob',
  },
  failedTtlSeconds: {
    env: 'FAILED_TTL_SECONDS',
    type: 'integer',
    minimum: 86_400,
    default: JOB_LIMITS.ttlSeconds,
    description: 'default ttlSecondsAfterFinished of a failed ZipJob',
  },
  succeededPodTtlSeconds: {
    env: 'SUCCEEDED_POD_TTL_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: 604_800,
    default: 3600,
    description:
      'how long the Kubernetes Jobs and pods of a succeeded ZipJob, and so their logs, are kept; with the ZipJob at the latest',
  },
  failedPodTtlSeconds: {
    env: 'FAILED_POD_TTL_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: 604_800,
    default: 86_400,
    description:
      'how long the Kubernetes Jobs and pods of a failed or cancelled ZipJob, and so their logs, are kept; with the ZipJob at the latest',
  },
  maxFinishedPods: {
    env: 'MAX_FINISHED_PODS',
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    default: 5000,
    description:
      'ended pods of zippers above which those of finished ZipJobs are deleted early, those of the largest project first; keep it well below --terminated-pod-gc-threshold of the cluster (12500 by default)',
  },
  fullProjectTtlSeconds: {
    env: 'FULL_PROJECT_TTL_SECONDS',
    type: 'integer',
    minimum: 1,
    default: 86_400,
    description:
      'how long a finished ZipJob is kept in a project that uses more than 90 % of its storedJobs or storedBytes',
  },
  fileListTtlSeconds: {
    env: 'FILE_LIST_TTL_SECONDS',
    type: 'integer',
    minimum: 0,
    default: 3600,
    description: 'how long the Secrets of the file list are kept after the job has ended',
  },
  restoredAfterSeconds: {
    env: 'RESTORED_AFTER_SECONDS',
    type: 'integer',
    minimum: 60,
    default: 300,
    description:
      'a ZipJob that was created this long after the API accepted its request was restored from a backup and is not run',
  },
  maxDisruptions: {
    env: 'MAX_DISRUPTIONS',
    type: 'integer',
    minimum: 1,
    default: 20,
    description: 'disruptions after which a job fails',
  },
  noProgressSeconds: {
    env: 'NO_PROGRESS_SECONDS',
    type: 'integer',
    minimum: 10,
    default: 300,
    description: 'a running job without progress for this long is reported with reason NoProgress',
  },
} as const satisfies Settings;
