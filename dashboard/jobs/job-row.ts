import { isFinished, type Phase } from '#crds/zip-job.ts';
import { bucketOf, zipJobId } from '#crds/zip-job-facts.ts';
import { type ListedJob, reasonOf } from '../live/listed-job.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonText } from '../ui/reason-text.ts';
import { bytesText, filesText, lookOf, type ProgressBar, phaseOf, progressBar } from './job-progress.ts';

/** A job in a list. */
export interface JobRow {
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
  readonly progress: ProgressBar;
  readonly isRunning: boolean;
  /** Empty for a job that never ran. */
  readonly duration: string;
  readonly files: string;
  readonly bytes: string;
  readonly service: string;
  readonly bucket: string;
  /** RFC 3339. */
  readonly createdAt: string;
}

export function durationOf({ status: { startedAt, finishedAt } }: ListedJob, now: Date): string {
  if (startedAt === undefined) return '';
  const end = finishedAt === undefined ? now.getTime() : Date.parse(finishedAt);
  return FORMAT.duration(end - Date.parse(startedAt));
}

export function jobRow(job: ListedJob, now: Date): JobRow {
  const { name, namespace, creationTimestamp: createdAt = '' } = job.metadata;
  const phase = phaseOf(job);
  const bucket = bucketOf(job);
  const reason = reasonOf(job);
  return {
    name,
    id: zipJobId(job),
    href: FORMAT.path('projects', namespace, 'jobs', name),
    key: job.spec.key,
    phase,
    look: lookOf(phase),
    reason,
    meaning: reason === '' ? '' : reasonText(reason),
    progress: progressBar(job),
    isRunning: !isFinished(job) && job.status.progress !== undefined,
    duration: durationOf(job, now),
    files: filesText(job),
    bytes: bytesText(job),
    service: bucket.service,
    bucket: bucket.name,
    createdAt,
  };
}
