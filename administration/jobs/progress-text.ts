/** The progress of a running job, for the dashboard and the command line. */
import type { Progress } from '#crds/zip-job.ts';
import { shareRead } from '#runtime/share-read.ts';
import { sizeText } from '../projects/size-text.ts';
import { durationText } from './duration-text.ts';

type Shown = Omit<Progress, 'podUid'>;

/** A job that has read every byte stays at 99 until its archive is in the bucket. */
export function percentDone(progress: Shown): number {
  return Math.min(99, Math.max(0, Math.floor(shareRead(progress) * 100)));
}

/** `2.0 GiB of 4.1 GiB`. */
export function bytesReadText({ bytesRead, bytesKnown = 0, bytesTotal }: Shown): string {
  const read = sizeText(bytesRead);
  if (bytesTotal !== undefined) return `${read} of ${sizeText(bytesTotal)}`;
  return bytesKnown > bytesRead ? `${read} of at least ${sizeText(bytesKnown)}` : read;
}

/** `80.2 MiB/s` and `about 20 s left`, as far as they are known. */
export function speedTexts({ bytesPerSecond, estimatedEndAt, updatedAt }: Shown): readonly string[] {
  const leftMs = estimatedEndAt === undefined ? 0 : Date.parse(estimatedEndAt) - Date.parse(updatedAt);
  return [
    ...(bytesPerSecond === undefined ? [] : [`${sizeText(bytesPerSecond)}/s`]),
    ...(leftMs > 0 ? [`about ${durationText(leftMs)} left`] : []),
  ];
}
