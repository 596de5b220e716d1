import type { Administration } from '#administration/administration.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { type Job, toJob } from '#administration/jobs/job-view.ts';
import { checkCanRunAgain } from '#administration/jobs/run-again.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { hashedUuid } from '#runtime/crypto/hashed-uuid.ts';
import type { Caches } from '../../live/caches.ts';
import type { ListedJob } from '../../live/listed-job.ts';
import type { Question } from '../../user/access.ts';
import { CHANGE_JOB, CREATE_JOB } from '../job-actions.ts';
import { rerunAdvice } from '../job-failure.ts';
import { failsAgain } from '../job-row.ts';
import { rerunsOf } from '../reruns.ts';

/** One confirmed form. */
export interface BulkRun {
  readonly administration: Pick<Administration, 'jobs'>;
  readonly namespace: string;
  /** UUID of the form, the same when a browser sends it again. */
  readonly form: string;
}

export type CachedJobs = Pick<Caches['zipJobs'], 'keysByIndex' | 'get'>;

/** Something that a user can do with many jobs. */
export interface BulkAction {
  readonly kind: 'cancel' | 'run-again';
  readonly label: string;
  readonly needs: Question;
  /** Which jobs of a search it is for. */
  readonly isFor: (job: ListedJob) => boolean;
  /** Why the state of a job prevents it; empty when it does not. */
  readonly obstacle: (job: ZipJob) => string;
  /** Whether it is possible, but would end as the job did. Such jobs are left out. */
  readonly isFutile: (job: ListedJob) => boolean;
  /** What the user should know before it runs; empty if there is nothing to say. */
  readonly note: (job: ZipJob, zipJobs: CachedJobs) => string;
  readonly texts: {
    /** What will happen to a job, in a word or two: there can be a hundred. */
    readonly effect: string;
    readonly warning: string;
    /** Button that starts it, with the number of jobs. */
    readonly start: (jobs: string) => string;
    /** Title without a job that it can change. */
    readonly none: string;
    readonly look: 'danger' | 'primary';
    /** Result for one job. */
    readonly done: string;
    /** Result for all, with the number of jobs. */
    readonly result: (jobs: string) => string;
  };
  readonly run: (run: BulkRun, name: string) => Promise<Job>;
}

/** @throws every other error */
function messageOf(error: unknown): string {
  if (error instanceof AdministrationError) return error.message;
  throw error;
}

function runAgainObstacle(job: ZipJob): string {
  try {
    checkCanRunAgain(job);
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

function cancelObstacle(job: ZipJob): string {
  if (isFinished(job)) return `The job has already finished (${job.status?.phase ?? ''}).`;
  return job.spec.cancel === true ? 'The job is already being cancelled.' : '';
}

/** The same for the same form and job, so that a form that is sent twice creates each new job once. */
function uuidOf(form: string, name: string): string {
  return hashedUuid('zipjobs bulk rerun', form, name);
}

export const BULK_ACTIONS: readonly BulkAction[] = [
  {
    kind: 'cancel',
    label: 'Cancel jobs…',
    needs: CHANGE_JOB,
    isFor: (job) => !isFinished(job),
    obstacle: cancelObstacle,
    isFutile: () => false,
    note: () => '',
    texts: {
      effect: 'Stops',
      warning: "The jobs stop without an archive. This can't be undone.",
      start: (jobs) => `Cancel ${jobs}`,
      none: 'No jobs to cancel',
      look: 'danger',
      done: 'Cancelling',
      result: (jobs) => `Cancelling ${jobs}`,
    },
    run: ({ administration, namespace }, name) =>
      administration.jobs(namespace, { namesOnly: true }).cancel(name),
  },
  {
    kind: 'run-again',
    label: 'Run again…',
    needs: CREATE_JOB,
    isFor: isFinished,
    obstacle: runAgainObstacle,
    isFutile: failsAgain,
    note: (job, zipJobs) => rerunAdvice(toJob(job), rerunsOf(zipJobs, job.metadata)).note,
    texts: {
      effect: 'New job',
      warning: 'Each new job has the same files as its original, and writes the same key of the same bucket.',
      start: (jobs) => `Run ${jobs} again`,
      none: 'No jobs to run again',
      look: 'primary',
      done: 'Created',
      result: (jobs) => `${jobs} created`,
    },
    run: ({ administration, namespace, form }, name) =>
      administration.jobs(namespace, { newUuid: () => uuidOf(form, name), namesOnly: true }).runAgain(name),
  },
];
