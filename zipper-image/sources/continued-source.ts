/** Files of which an earlier pod recorded where they are in the archive. What it uploaded is not requested again. */
import type { ListedFile } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { FillSlices } from '../byte-sink.ts';
import type { ContinuedFile, FileRecord } from '../resume/types.ts';
import { type KnownSources, toSourceFailure } from './known-sources.ts';
import type { RangedFile } from './range-readers.ts';
import { recordedResponse } from './response-head.ts';
import { recordedFailure, type SourceError } from './source-error.ts';
import { hexOfCrc32 } from './stated.ts';
import type { SourceEntry } from './types.ts';

export interface ContinuedSource {
  readonly index: number;
  readonly file: ListedFile;
  readonly continued: ContinuedFile;
}

function failureOf(index: number, { failure }: FileRecord): SourceError | undefined {
  return failure && recordedFailure(index, failure);
}

/** Reports what the earlier pods found. Returns how many bytes of sources need not be received again. */
export function keptBytesOf(
  continued: ReadonlyMap<number, ContinuedFile>,
  known: Pick<KnownSources, 'good' | 'failed'>,
): number {
  let bytes = 0;
  for (const [index, file] of continued) {
    const { record } = file;
    const failure = failureOf(index, record);
    const size = failure ? 0 : (record.entry?.size ?? 0);
    if (failure) known.failed(toSourceFailure(failure));
    else known.good(index, size);
    if (file.kind === 'kept') bytes += size;
    if (file.kind === 'ranges') bytes += Math.min(size, file.keptBytes);
  }
  return bytes;
}

/** What an earlier pod found out, so that the bytes are compared with it even if the job states nothing. */
function foundCrc32({ entry }: FileRecord) {
  return entry?.headerCrc === undefined ? {} : { crc32: hexOfCrc32(entry.headerCrc) };
}

async function* pieces(bytes: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  if (bytes) yield bytes;
}

function ignore(): void {
  return undefined;
}

/** `fillBy`: fills the slices of a file by ranges. */
export function continuedEntry(
  { index, file, continued }: ContinuedSource,
  fillBy: (of: RangedFile) => FillSlices,
): SourceEntry {
  const { record } = continued;
  const { entry, validator, lengthUnverified, contentEncoded } = record;
  const failure = failureOf(index, record);
  const small = continued.kind === 'repeated' ? continued.body : undefined;
  return {
    index,
    filename: file.filename,
    declaredLength: failure ? undefined : entry?.size,
    lastModified: undefined,
    lengthUnverified,
    contentEncoded,
    stated: { ...file, ...foundCrc32(record) },
    body: pieces(small),
    small,
    continues: continued,
    ...defined({ validator, failure, fill: rangesOf({ index, file, continued }, fillBy) }),
  };
}

function rangesOf(
  { index, file, continued }: ContinuedSource,
  fillBy: (of: RangedFile) => FillSlices,
): FillSlices | undefined {
  const { entry, validator } = continued.record;
  if (continued.kind !== 'ranges' || validator === undefined || !entry) return undefined;
  const same = recordedResponse(validator, entry.size);
  return fillBy({ index, file, same, onConfirmed: ignore, endFirst: ignore, isConfirmed: true });
}
