import { bytesReadText, percentDone } from '#administration/jobs/progress-text.ts';
import type { Phase } from '#crds/zip-job.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { FORMAT } from '../ui/format.ts';
import { type Look, PHASE_LOOKS } from '../ui/words.ts';

export interface ProgressBar {
  /** 0 to 100; undefined while unknown. */
  readonly percent: number | undefined;
  /** The same as text. */
  readonly text: string;
}

/** Progress of a job. 100 means that the archive is in its bucket. */
export function progressBar({ status: { phase, progress } }: ListedJob): ProgressBar {
  if (phase === 'Succeeded') return { percent: 100, text: '100 %' };
  if (progress === undefined) return { percent: undefined, text: 'Not started' };
  const percent = percentDone(progress);
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
  return progress === undefined ? '' : bytesReadText(progress);
}

/** A job that no controller has reconciled yet counts as queued. */
export function phaseOf({ status }: Pick<ListedJob, 'status'>): Phase {
  return status.phase ?? 'Queued';
}

/** Class of the badge that shows a phase. */
export function lookOf(phase: Phase): Look {
  return PHASE_LOOKS[phase];
}
