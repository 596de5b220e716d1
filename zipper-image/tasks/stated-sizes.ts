/** What the stated sizes of the files say about an archive, before any file is requested. */
import { manifestFiles } from '#crds/manifest-files.ts';
import { type FileEntry, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { isDataUrl, readDataUrl } from '#runtime/entries/data-url.ts';
import { AppError } from '#runtime/errors.ts';
import { isBucketUrl } from '#runtime/zip-request/bucket-url.ts';
import { partSizeFor } from '#runtime/zip-request/part-sizes.ts';
import { hasAllBytes, sumOfStated } from '#runtime/zip-request/stated-sizes.ts';
import type { Coding } from '../archive/entry-encoders.ts';
import type { EntryNames } from '../archive/entry-names.ts';
import { plannedArchiveBytes, TIME_BYTES } from '../archive/planned-bytes.ts';
import { SMALL_ENTRY_BYTES } from '../sources/types.ts';
import { archiveLimit, type Capabilities } from '../store/store-capabilities.ts';

/** Bytes of both headers of an entry, without its name and extra fields. */
const HEADER_BYTES = 30 + 46;
/** Of the end record. */
const END_BYTES = 22;

/** What a placeholder, with its longer name, may have more than the file that it replaces. */
const MOST_PLACEHOLDER_BYTES = 2048;
/** Of all entries of a manifest, without what each file adds. */
const MANIFEST_BYTES = 65_536;
/** Of a file in a manifest, without its names. */
const MANIFEST_LINE_BYTES = 2048;
/** Of one byte of a name in a manifest, whose JSON may escape it. */
const MANIFEST_NAME_FACTOR = 8;

type PlannedTask = Pick<
  ArchiveTask,
  'compression' | 'onSourceError' | 'manifestFormat' | 'manifestEntry' | 'fixedModificationTime'
>;

export interface StatedFiles {
  readonly task: PlannedTask;
  readonly files: readonly FileEntry[];
  readonly names: Pick<EntryNames, 'nameOf'>;
}

export interface StatedSizes {
  /** Bytes that will be read. */
  readonly fileBytes?: number;
  /** Bytes of the archive. */
  readonly archiveBytes?: number;
  /** The archive has at most so many. */
  readonly mostArchiveBytes?: number;
}

function sizeOf({ url, size }: FileEntry): number | undefined {
  if (size !== undefined || !isDataUrl(url)) return size;
  const data = readDataUrl(url);
  return data.ok ? data.bytes.length : undefined;
}

/** Of a file that is not compressed: the longer form, if that is not known. */
function codingOf({ crc32 }: FileEntry): Coding {
  return crc32 === undefined ? 'blocks' : 'none';
}

/** Whether it does not depend on the source in which form a file is written that is not small. Each object may have a CRC-32 or not. */
export function isFormKnown({ url, crc32 }: FileEntry): boolean {
  return crc32 !== undefined || !isBucketUrl(url);
}

/** Undefined if the size of a file is not known before it is requested, or if the sum has no exact number. */
function knownSizes(files: readonly FileEntry[]): readonly number[] | undefined {
  const sizes: number[] = [];
  let sum = 0;
  for (const file of files) {
    const size = sizeOf(file);
    if (size === undefined) return undefined;
    sizes.push(size);
    sum += size;
  }
  return Number.isSafeInteger(sum) ? sizes : undefined;
}

/** The most that the entries of a manifest, and placeholders, add to the archive. */
function mostOwnBytes({ task, files, names }: StatedFiles): number {
  const placeholders = task.onSourceError === 'Placeholder' ? files.length * MOST_PLACEHOLDER_BYTES : 0;
  if (manifestFiles(task).length === 0) return placeholders;
  const lines = files.reduce((sum, { filename }, index) => {
    const nameBytes = Buffer.byteLength(filename) + Buffer.byteLength(names.nameOf(index));
    return sum + MANIFEST_LINE_BYTES + MANIFEST_NAME_FACTOR * nameBytes;
  }, MANIFEST_BYTES);
  return placeholders + lines;
}

/**
 * What follows from the sizes of all files. Nothing if one is unknown. Bytes are exact only if no file may be left out, and those of the
 * archive if nothing is compressed, there is no manifest, the form of each entry is known, and no source states a time after 2037.
 */
export function readStatedSizes(stated: StatedFiles): StatedSizes {
  const { task, files, names } = stated;
  const sizes = knownSizes(files);
  if (!sizes) return {};
  function* planned(isCompressed: boolean) {
    for (const [index, file] of files.entries())
      yield {
        name: names.nameOf(index),
        bytes: sizes?.[index] ?? 0,
        coding: isCompressed ? ('deflate' as const) : codingOf(file),
      };
  }
  const { fixedModificationTime: fixed } = task;
  const time = fixed === undefined ? undefined : new Date(fixed);
  const most = plannedArchiveBytes(planned(task.compression !== 'store'), time) + mostOwnBytes(stated);
  const isExact =
    hasAllBytes(task) &&
    manifestFiles(task).length === 0 &&
    files.every((file, index) => isFormKnown(file) || (sizes[index] ?? 0) <= SMALL_ENTRY_BYTES);
  const mayLeaveOut = (task.onSourceError ?? SPEC_DEFAULTS.onSourceError) !== 'Fail';
  return {
    ...(!mayLeaveOut && { fileBytes: sizes.reduce((sum, size) => sum + size, 0) }),
    ...(isExact && { archiveBytes: most }),
    mostArchiveBytes: most,
  };
}

/** Bytes of the largest parts: as many as the archive may need, and not more than in the task. */
export function statedPartSize(
  { mostArchiveBytes }: StatedSizes,
  { partSizeBytes }: { readonly partSizeBytes: number },
): number {
  return mostArchiveBytes === undefined
    ? partSizeBytes
    : Math.min(partSizeBytes, partSizeFor(mostArchiveBytes));
}

export interface StatedArchive extends StatedFiles {
  readonly sizes: StatedSizes;
  readonly settings: Parameters<typeof archiveLimit>[0];
  readonly capabilities: Capabilities;
}

function leastBytes({ task, files, names }: StatedFiles): number {
  if (!hasAllBytes(task)) return 0;
  const headers = files.reduce(
    (sum, _, index) => sum + HEADER_BYTES + 2 * Buffer.byteLength(names.nameOf(index)),
    0,
  );
  return sumOfStated(files) + headers + END_BYTES;
}

/**
 * Files that are compressed, or may be left out, can take less.
 * @throws AppError ArchiveTooLarge if the files cannot fit, whatever their sources send
 */
export function assertStatedFits({ sizes, settings, capabilities, ...stated }: StatedArchive): void {
  const { archiveBytes } = sizes;
  const { task, files } = stated;
  // The time that a source states may take no bytes.
  const ofTimes = task.fixedModificationTime === undefined ? files.length * TIME_BYTES : 0;
  const needed = archiveBytes === undefined ? leastBytes(stated) : archiveBytes - ofTimes;
  const { bytes, because } = archiveLimit(settings, capabilities);
  if (needed <= bytes) return;
  const isExact = archiveBytes === needed;
  throw new AppError(
    `Could not start the archive: with the stated sizes of its files it has ${isExact ? '' : 'at least '}${needed} bytes, but at most ${bytes} are possible, ${because}; split the file list`,
    { code: 'ArchiveTooLarge', retryable: false },
  );
}
