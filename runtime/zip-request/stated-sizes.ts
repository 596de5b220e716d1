/** What the stated sizes of files say about their archive, before any file is requested. */
import { type FileEntry, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import type { StoreKind } from '../store/store-location.ts';
import { MOST_ARCHIVE_BYTES, MOST_R2_ARCHIVE_BYTES } from './job-limits.ts';

/** The options on which it depends whether an archive has all bytes of its files. */
export interface ByteOptions {
  readonly compression?: string | undefined;
  readonly onSourceError?: string | undefined;
}

/** Whether an archive has at least the bytes of its files, because none is compressed or left out. */
export function hasAllBytes({
  compression = SPEC_DEFAULTS.compression,
  onSourceError = SPEC_DEFAULTS.onSourceError,
}: ByteOptions): boolean {
  return compression === 'store' && onSourceError === 'Fail';
}

/** Bytes of the files whose size is stated. */
export function sumOfStated(files: readonly Pick<FileEntry, 'size'>[]): number {
  return files.reduce((sum, { size = 0 }) => sum + size, 0);
}

export interface ArchiveLimit {
  readonly bytes: number;
  /** The archives that it limits, as in "an archive in R2". */
  readonly of: string;
}

export function projectLimit(archiveBytes: number): ArchiveLimit {
  return { bytes: archiveBytes, of: 'of this project' };
}

export function storeLimit(kind: StoreKind): ArchiveLimit {
  return kind === 'r2'
    ? { bytes: MOST_R2_ARCHIVE_BYTES, of: 'in R2' }
    : { bytes: MOST_ARCHIVE_BYTES, of: 'in this bucket' };
}

/** Why files with these stated bytes cannot be in one archive, as a sentence without its full stop; undefined if they may fit. */
export function statedExcess(
  statedBytes: number,
  options: ByteOptions,
  limit: ArchiveLimit,
): string | undefined {
  if (statedBytes <= limit.bytes || !hasAllBytes(options)) return undefined;
  return `The stated sizes of these files are ${statedBytes} bytes in all, but an archive ${limit.of} can have at most ${limit.bytes}`;
}
