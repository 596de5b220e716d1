import type { FileSource } from '#administration/errors/failure-cause.ts';
import type { FileEntry, ZipJob } from '#crds/zip-job.ts';
import { bucketObjectOf } from '#runtime/zip-request/bucket-url.ts';

/** Sources by their index in the file list. Others are unknown. */
export type KnownSources = ReadonlyMap<number, FileSource>;

export function toKnownSource({ url, filename }: FileEntry): FileSource {
  const object = bucketObjectOf(url);
  return {
    filename,
    host: object ? `bucket ${object.bucketName} (${object.service})` : (URL.parse(url)?.host ?? ''),
  };
}

/** The indices of the files that a failed job names; none while a job may still succeed. */
export function failingIndices({ status = {} }: Pick<ZipJob, 'status'>): readonly number[] {
  const { failure, sourceCheck, phase } = status;
  if (phase !== 'Failed') return [];
  const listed = (sourceCheck?.failures ?? []).map(({ fileIndex }) => fileIndex);
  return failure?.fileIndex === undefined ? listed : [...new Set([...listed, failure.fileIndex])];
}

/** The failing files of a job whose file list is inline. The history keeps their names without the URLs. */
export function inlineSources(zipJob: Pick<ZipJob, 'spec' | 'status'>): KnownSources {
  return new Map(
    failingIndices(zipJob).flatMap((index) => {
      const file = zipJob.spec.files?.[index];
      return file === undefined ? [] : [[index, toKnownSource(file)] as const];
    }),
  );
}
