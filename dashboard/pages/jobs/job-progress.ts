import type { Phase, ZipJob } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';
import { FORMAT } from '../../format.ts';

export interface ProgressBar {
  /** 0 to 100; undefined while unknown. */
  readonly percent: number | undefined;
  /** The same as text. */
  readonly text: string;
}

const shareOf = ({ filesDone, filesTotal, bytesRead, bytesTotal }: NonNullable<Progress>): number =>
  bytesTotal !== undefined && bytesTotal > 0
    ? bytesRead / bytesTotal
    : filesTotal > 0
      ? filesDone / filesTotal
      : 0;

type Progress = NonNullable<ZipJob['status']>['progress'];

/** Progress of a job. 100 means that the archive is in its bucket; a job that has read every byte stays at 99. */
export const progressBar = (job: ZipJob): ProgressBar => {
  const progress = job.status?.progress;
  if (job.status?.phase === 'Succeeded') return { percent: 100, text: '100 %' };
  if (progress === undefined) return { percent: undefined, text: 'Not started' };
  const percent = Math.min(99, Math.max(0, Math.floor(shareOf(progress) * 100)));
  return { percent, text: `${percent} %` };
};

/** `3 of 10`, or only the total. */
export const filesText = (job: ZipJob): string => {
  const progress = job.status?.progress;
  if (progress === undefined || job.status?.phase === 'Succeeded') return FORMAT.number(fileCount(job));
  return `${FORMAT.number(progress.filesDone)} of ${FORMAT.number(progress.filesTotal)}`;
};

/** Size of the archive, or the bytes read so far. */
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

/** A job that no controller has reconciled yet counts as queued. */
export const phaseOf = ({ status }: Pick<ZipJob, 'status'>): Phase => status?.phase ?? 'Queued';

/** Class of the badge that shows a phase. */
export const lookOf = (phase: Phase): string => LOOKS[phase];
