import type { Phase, Progress } from '#crds/zip-job.ts';
import { FORMAT } from '../../format.ts';
import type { ListedJob } from '../../live/listed-job.ts';
import { type Look, PHASE_LOOKS } from '../../words.ts';

export interface ProgressBar {
  /** 0 to 100; undefined while unknown. */
  readonly percent: number | undefined;
  /** The same as text. */
  readonly text: string;
}

function shareOf({ filesDone, filesTotal, bytesRead, bytesTotal }: Progress): number {
  return bytesTotal !== undefined && bytesTotal > 0
    ? bytesRead / bytesTotal
    : filesTotal > 0
      ? filesDone / filesTotal
      : 0;
}

/** Progress of a job. 100 means that the archive is in its bucket; a job that has read every byte stays at 99. */
export function progressBar({ status: { phase, progress } }: ListedJob): ProgressBar {
  if (phase === 'Succeeded') return { percent: 100, text: '100 %' };
  if (progress === undefined) return { percent: undefined, text: 'Not started' };
  const percent = Math.min(99, Math.max(0, Math.floor(shareOf(progress) * 100)));
  return { percent, text: `${percent} %` };
}

/** `3 of 10`, or only the total. */
export function filesText({ status: { phase, progress }, files }: ListedJob): string {
  if (progress === undefined || phase === 'Succeeded') return FORMAT.number(files);
  return `${FORMAT.number(progress.filesDone)} of ${FORMAT.number(progress.filesTotal)}`;
}

/** Size of the archive, or the bytes read so far. */
export function bytesText({ status: { result, progress } }: ListedJob): string {
  if (result !== undefined) return FORMAT.bytes(result.bytes);
  if (progress === undefined) return '';
  const { bytesRead, bytesTotal } = progress;
  return bytesTotal === undefined
    ? FORMAT.bytes(bytesRead)
    : `${FORMAT.bytes(bytesRead)} of ${FORMAT.bytes(bytesTotal)}`;
}

/** A job that no controller has reconciled yet counts as queued. */
export function phaseOf({ status }: Pick<ListedJob, 'status'>): Phase {
  return status.phase ?? 'Queued';
}

/** Class of the badge that shows a phase. */
export function lookOf(phase: Phase): Look {
  return PHASE_LOOKS[phase];
}
