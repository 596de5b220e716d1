import { failureHelp } from '#administration/errors/failure-help.ts';
import { failureReasonOf } from '#crds/job-failures.ts';
import { isFinished, type Phase } from '#crds/zip-job.ts';
import { zipJobId } from '#crds/zip-job-facts.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { reasonOf } from '../live/listed-job.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonText } from '../ui/reason-text.ts';
import { bytesText, filesText, lookOf, phaseOf, progressBar } from './job-progress.ts';
import { bucketText } from './job-query.ts';

/** A job in a list, of the cluster or of the history. */
export interface JobRow {
  /** Unique in the list. */
  readonly name: string;
  readonly id: string;
  readonly href: string;
  readonly key: string;
  readonly phase: Phase;
  readonly look: string;
  /** Why it waits, makes no progress, failed or was cancelled; otherwise empty. */
  readonly reason: string;
  /** The reason in plain words. */
  readonly meaning: string;
  /** 0 to 100 while it runs. */
  readonly percent: number | undefined;
  /** Empty for a job that never ran. */
  readonly duration: string;
  readonly files: string;
  readonly bytes: string;
  /** `s3/archive` */
  readonly bucket: string;
  /** Name of the token that created it; empty for a job that the API did not create. */
  readonly token: string;
  /** RFC 3339: when it was created or, in the history, when it finished. */
  readonly at: string;
  /** The change of several jobs that can include it; `same` for a finished job whose rerun would fail in the same way. */
  readonly can: 'cancel' | 'run-again' | 'same' | '';
}

function durationOf({ status: { startedAt, finishedAt } }: ListedJob, now: Date): string {
  if (startedAt === undefined) return '';
  const end = finishedAt === undefined ? now.getTime() : Date.parse(finishedAt);
  return FORMAT.duration(end - Date.parse(startedAt));
}

/** Whether a rerun, which sends the same request again, fails in the same way. */
export function failsAgain({ status = {} }: { readonly status?: ListedJob['status'] }): boolean {
  return status.phase === 'Failed' && failureHelp(failureReasonOf(status) ?? '')?.retry === 'never';
}

function canOf(job: ListedJob): JobRow['can'] {
  if (!isFinished(job)) return 'cancel';
  return failsAgain(job) ? 'same' : 'run-again';
}

export function jobRow(job: ListedJob, now: Date): JobRow {
  const { name, namespace, creationTimestamp: at = '' } = job.metadata;
  const phase = phaseOf(job);
  const reason = reasonOf(job);
  const isRunning = !isFinished(job) && job.status.progress !== undefined;
  return {
    name,
    id: zipJobId(job),
    href: FORMAT.path('projects', namespace, 'jobs', name),
    key: job.spec.key,
    phase,
    look: lookOf(phase),
    reason,
    meaning: reason === '' ? '' : reasonText(reason),
    percent: isRunning ? progressBar(job).percent : undefined,
    duration: durationOf(job, now),
    files: filesText(job),
    bytes: bytesText(job),
    bucket: bucketText(job.spec.bucketRef.name),
    token: job.createdBy ?? '',
    at,
    can: canOf(job),
  };
}

/** Values of columns that are the same in all rows: a list shows them once, not as columns. */
export function commonTo(rows: readonly JobRow[]): Readonly<Partial<Record<'bucket' | 'token', string>>> {
  function common(name: 'bucket' | 'token'): object {
    const [first, ...others] = new Set(rows.map((row) => row[name]));
    return others.length > 0 ? {} : { [name]: first ?? '' };
  }
  return { ...common('bucket'), ...common('token') };
}
