import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isFileListDeleted } from '#crds/zip-job-facts.ts';

/** Compressed bytes of the stored file list of a job; 0 if it has none, or none any more. */
export function fileListBytesOf({ metadata }: Pick<ZipJob, 'metadata'>): number {
  if (isFileListDeleted({ metadata })) return 0;
  const bytes = Number(metadata.annotations?.[ANNOTATIONS.fileListBytes] ?? 0);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0;
}

/** Bytes of a job in the store of the API server: its JSON and its file list. */
export function storedBytesOf(job: ZipJob): number {
  return Buffer.byteLength(JSON.stringify(job)) + fileListBytesOf(job);
}
