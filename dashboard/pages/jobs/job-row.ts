import { isFinished, type Phase } from '#crds/zip-job.ts';
import { bucketOf } from '#crds/zip-job-facts.ts';
import { FORMAT } from '../../format.ts';
import type { ListedJob } from '../../live/listed-job.ts';
import { bytesText, filesText, lookOf, type ProgressBar, phaseOf, progressBar } from './job-progress.ts';

/** A job in a list. */
export interface JobRow {
  readonly name: string;
  readonly href: string;
  readonly phase: Phase;
  readonly look: string;
  /** Why it waits or failed; otherwise empty. */
  readonly reason: string;
  readonly progress: ProgressBar;
  readonly isRunning: boolean;
  readonly files: string;
  readonly bytes: string;
  readonly service: string;
  readonly bucket: string;
  readonly key: string;
  readonly createdAt: string;
  readonly age: string;
}

const PHASES_WITH_REASON: readonly Phase[] = ['Queued', 'Starting', 'Failed'];

const reasonOf = ({ status }: ListedJob, phase: Phase): string =>
  PHASES_WITH_REASON.includes(phase) ? (status.failure?.code ?? status.reason ?? '') : '';

const ageOf = (createdAt: string, now: Date): string =>
  createdAt === '' ? '' : FORMAT.duration(now.getTime() - Date.parse(createdAt));

export const jobRow = (job: ListedJob, now: Date): JobRow => {
  const { name, namespace, creationTimestamp: createdAt = '' } = job.metadata;
  const phase = phaseOf(job);
  const bucket = bucketOf(job);
  return {
    name,
    href: FORMAT.path('projects', namespace, 'jobs', name),
    phase,
    look: lookOf(phase),
    reason: reasonOf(job, phase),
    progress: progressBar(job),
    isRunning: !isFinished(job) && job.status.progress !== undefined,
    files: filesText(job),
    bytes: bytesText(job),
    service: bucket.service,
    bucket: bucket.name,
    key: job.spec.key,
    createdAt,
    age: ageOf(createdAt, now),
  };
};
