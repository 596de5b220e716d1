import { toJob } from '#administration/job-view.ts';
import { isFinished, type Phase, type ZipJob } from '#crds/zip-job.ts';
import { FORMAT } from '../../format.ts';
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

const reasonOf = ({ status }: ZipJob, phase: Phase): string =>
  PHASES_WITH_REASON.includes(phase) ? (status?.failure?.code ?? status?.reason ?? '') : '';

const ageOf = (createdAt: string, now: Date): string =>
  createdAt === '' ? '' : FORMAT.duration(now.getTime() - Date.parse(createdAt));

export const jobRow = (zipJob: ZipJob, now: Date): JobRow => {
  const { name, namespace } = zipJob.metadata;
  const phase = phaseOf(zipJob);
  const job = toJob(zipJob);
  const createdAt = job.createdAt ?? '';
  return {
    name,
    href: FORMAT.path('projects', namespace, 'jobs', name),
    phase,
    look: lookOf(phase),
    reason: reasonOf(zipJob, phase),
    progress: progressBar(zipJob),
    isRunning: !isFinished(zipJob) && zipJob.status?.progress !== undefined,
    files: filesText(zipJob),
    bytes: bytesText(zipJob),
    service: job.service,
    bucket: job.bucketName,
    key: job.key,
    createdAt,
    age: ageOf(createdAt, now),
  };
};
