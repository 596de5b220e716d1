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
  /** What the user should know before it runs; empty if there is nothing to say. */
  readonly note: (job: ZipJob, zipJobs: CachedJobs) => string;
  readonly texts: {
    /** What will happen to a job. */
    readonly effect: string;
    readonly warning: string;
    /** Button that starts it, with the number of jobs. */
    readonly start: (jobs: string) => string;
    readonly look: 'danger' | 'primary';
    readonly done: string;
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
    note: () => '',
    texts: {
      effect: 'Stops without an archive',
      warning: "The jobs stop without an archive. This can't be undone.",
      start: (jobs) => `Cancel ${jobs}`,
      look: 'danger',
      done: 'Cancelling',
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
    note: (job, zipJobs) => rerunAdvice(toJob(job), rerunsOf(zipJobs, job.metadata)).note,
    texts: {
      effect: 'A new job with the same files',
      warning: 'Each new job writes the same key of the same bucket as its original.',
      start: (jobs) => `Run ${jobs} again`,
      look: 'primary',
      done: 'Created',
    },
    run: ({ administration, namespace, form }, name) =>
      administration.jobs(namespace, { newUuid: () => uuidOf(form, name), namesOnly: true }).runAgain(name),
  },
];
