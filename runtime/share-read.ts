import type { Progress } from '#crds/zip-job.ts';

type Counts = Pick<Progress, 'filesDone' | 'filesTotal' | 'bytesRead' | 'bytesTotal'>;

/** The share of the sources that was read, from 0: of their bytes, or of the files until all lengths are known. */
export function shareRead({ filesDone, filesTotal, bytesRead, bytesTotal }: Counts): number {
  if (bytesTotal !== undefined && bytesTotal > 0) return bytesRead / bytesTotal;
  return filesTotal > 0 ? filesDone / filesTotal : 0;
}
