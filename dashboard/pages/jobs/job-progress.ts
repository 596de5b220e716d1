import type { Phase, ZipJob } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';
import { FORMAT } from '../../format.ts';

export interface ProgressBar {
  /** 0 to 100; undefined while nobody knows. */
  readonly percent: number | undefined;
  /** The same in words. */
  readonly text: string;
}

const shareOf = ({ filesDone, filesTotal, bytesRead, bytesTotal }: NonNullable<Told>): number =>
  bytesTotal !== undefined && bytesTotal > 0
    ? bytesRead / bytesTotal
    : filesTotal > 0
      ? filesDone / filesTotal
      : 0;

type Told = NonNullable<ZipJob['status']>['progress'];

/** How far a job has come. What is all read is not all done: 100 is for an archive that is in its bucket. */
export const progressBar = (job: ZipJob): ProgressBar => {
  const progress = job.status?.progress;
  if (job.status?.phase === 'Succeeded') return { percent: 100, text: '100 %' };
  if (progress === undefined) return { percent: undefined, text: 'not begun' };
  const percent = Math.min(99, Math.max(0, Math.floor(shareOf(progress) * 100)));
  return { percent, text: `${percent} %` };
};

/** `3 of 10`, or their number alone. */
export const filesText = (job: ZipJob): string => {
  const progress = job.status?.progress;
  if (progress === undefined || job.status?.phase === 'Succeeded') return FORMAT.number(fileCount(job));
  return `${FORMAT.number(progress.filesDone)} of ${FORMAT.number(progress.filesTotal)}`;
};

/** Size of the archive, or what was read so far. */
export const bytesText = ({ status }: ZipJob): string => {
  if (status?.result !== undefined) return FORMAT.bytes(status.result.bytes);
  if (status?.progress === undefined) return '';
  const { bytesRead, bytesTotal } = status.progress;
  return bytesTotal === undefined
    ? FORMAT.bytes(bytesRead)
    : `${FORMAT.bytes(bytesRead)} of ${FORMAT.bytes(bytesTotal)}`;
};

const LOOKS: Readonly<Record<Phase, string>> = {
  Queued: '',
  Starting: '',
  Running: 'going',
  Finalizing: 'going',
  Succeeded: 'good',
  Failed: 'bad',
  Cancelled: 'warn',
};

/** A job that no controller has looked at is queued like the others. */
export const phaseOf = ({ status }: Pick<ZipJob, 'status'>): Phase => status?.phase ?? 'Queued';

/** Class of the badge that shows a phase. */
export const lookOf = (phase: Phase): string => LOOKS[phase];
