/**
 * The manifest: one JSON entry that tells what the archive holds. Its lines are made from what was written, when it was
 * written, so that it cannot promise anything; it has no URLs, since they may be credentials.
 */

import type { SourceError } from '../sources/source-error.ts';
import type { WrittenEntry } from './archive.ts';
import { createRecordList } from './record-list.ts';

export interface ManifestLine {
  readonly index: number;
  /** As the job asked for it. */
  readonly filename: string;
  /** What stands in the archive for it; absent when it was left out. */
  readonly entry?: { readonly name: string } & WrittenEntry;
  /** Why it is not the file. */
  readonly failure?: SourceError;
  readonly lengthUnverified?: boolean;
}

export interface Manifest {
  add(line: ManifestLine): void;
  /** The whole text, in pieces. */
  pieces(): readonly Uint8Array[];
}

const outcomeOf = ({ entry, failure }: ManifestLine): string => {
  if (!failure) return 'written';
  return entry ? 'placeholder' : 'skipped';
};

const describe = (line: ManifestLine): string => {
  const { index, filename, entry, failure, lengthUnverified } = line;
  return JSON.stringify({
    index,
    filename,
    outcome: outcomeOf(line),
    ...(entry && {
      entry: entry.name,
      bytes: entry.size,
      crc32: entry.crc.toString(16).padStart(8, '0'),
      sha256: entry.sha256,
    }),
    ...(lengthUnverified === true && { lengthUnverified }),
    ...(failure && { error: { code: failure.code, httpStatus: failure.httpStatus } }),
  });
};

/** Creates an empty manifest; ten thousand lines are a few blocks of bytes. */
export const createManifest = (): Manifest => {
  const lines = createRecordList();
  return {
    add: (line) => lines.append(Buffer.from(`${lines.count === 0 ? '' : ',\n'}${describe(line)}`)),
    pieces: () => [Buffer.from('{"manifestVersion":1,"files":[\n'), ...lines.blocks(), Buffer.from('\n]}\n')],
  };
};
