import type { Settings } from '#runtime/config/config.ts';
import { JOB_LIMITS } from '#runtime/zip-request/job-limits.ts';

/** Concurrency and time limits of jobs. */
export const JOB_SETTINGS = {
  maxActiveJobs: {
    env: 'MAX_ACTIVE_JOBS',
    type: 'integer',
    minimum: 0,
    default: 100,
    description:
      'maximum running jobs in total; a project without a running job may exceed it by one, up to a tenth in all; 0 starts no new jobs',
    changeWhen: 'raise it when jobs wait in the queue while the cluster has free nodes',
  },
  maxActiveJobsPerBucket: {
    env: 'MAX_ACTIVE_JOBS_PER_BUCKET',
    type: 'integer',
    minimum: 0,
    default: 50,
    description: 'maximum running jobs of a bucket',
    changeWhen:
      'lower it when a store slows uploads down (503 SlowDown); raise it when jobs of one bucket wait alone',
  },
  jobCreateRate: {
    env: 'JOB_CREATE_RATE',
    type: 'integer',
    minimum: 1,
    default: 100,
    description: 'Kubernetes Jobs created per second, after a burst of twice as many',
    changeWhen: 'lower it when new jobs make the API server or the scheduler slow',
  },
  trustedQueues: {
    env: 'TRUSTED_QUEUES',
    type: 'array',
    default: [],
    description: 'values of spec.queueName whose jobs are limited by the queue alone; * for every queue',
    changeWhen: 'set it when Kueue admits jobs that then still wait for MAX_ACTIVE_JOBS',
  },
  activeDeadlineSeconds: {
    env: 'ACTIVE_DEADLINE_SECONDS',
    type: 'integer',
    minimum: 60,
    maximum: 86_400,
    default: JOB_LIMITS.seconds,
    description: 'default activeDeadlineSeconds of a ZipJob',
    changeWhen: 'raise it when large archives fail with DeadlineExceeded',
  },
  succeededTtlSeconds: {
    env: 'SUCCEEDED_TTL_SECONDS',
    type: 'integer',
    minimum: 86_400,
    default: JOB_LIMITS.ttlSeconds,
    description: 'default ttlSecondsAfterFinished of a succeeded ZipJob',
    changeWhen:
      'raise it when callers get 404 for a job that they still need; lower it when projects are full',
  },
  failedTtlSeconds: {
    env: 'FAILED_TTL_SECONDS',
    type: 'integer',
    minimum: 86_400,
    default: JOB_LIMITS.ttlSeconds,
    description: 'default ttlSecondsAfterFinished of a failed ZipJob',
    changeWhen: 'raise it when failed jobs are deleted before someone has read why',
  },
  succeededPodTtlSeconds: {
    env: 'SUCCEEDED_POD_TTL_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: 604_800,
    default: 3600,
    description:
      'how long the Kubernetes Jobs and pods of a succeeded ZipJob, and so their logs, are kept; with the ZipJob at the latest',
    changeWhen: 'raise it when the logs of succeeded jobs are gone before you read them',
  },
  failedPodTtlSeconds: {
    env: 'FAILED_POD_TTL_SECONDS',
    type: 'integer',
    minimum: 0,
    maximum: 604_800,
    default: 86_400,
    description:
      'how long the Kubernetes Jobs and pods of a failed or cancelled ZipJob, and so their logs, are kept; with the ZipJob at the latest',
    changeWhen: 'raise it when the logs of failed jobs are gone before you read them',
  },
  maxFinishedPods: {
    env: 'MAX_FINISHED_PODS',
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    default: 5000,
    description:
      'ended pods of zippers above which those of finished ZipJobs are deleted early, those of the largest project first; keep it well below --terminated-pod-gc-threshold of the cluster (12500 by default)',
    changeWhen: 'lower it when the cluster deletes ended pods of other applications',
  },
} as const satisfies Settings;

export const JOB_CONSTANTS = {
  /** How long the Secrets of a file list outlive its job: long enough for a rerun and for the page of a failed job. */
  fileListTtlSeconds: 3_600,
  /** In a project that uses more than 90 % of its storedJobs or storedBytes: long enough to notice a failure. */
  fullProjectTtlSeconds: 86_400,
  /** A job whose creation is this much later than its request was restored from a backup; the API creates jobs within seconds. */
  restoredAfterSeconds: 300,
  /** Drained and preempted nodes are no faults of a job, but a job that always loses its node would never end. */
  maxDisruptions: 20,
  /** Zippers report at least every two minutes; the reason NoProgress starts after more than two reports. */
  noProgressSeconds: 300,
};
