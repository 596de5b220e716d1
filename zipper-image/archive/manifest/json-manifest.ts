/**
 * The manifest: a JSON entry that lists the contents of the archive. Its lines are created when the entries are
 * written, so it lists only what was written. It contains no URLs, because they may be credentials.
 */

import type { SourceError } from '../../sources/source-error.ts';
import type { WrittenEntry } from '../archive.ts';
import { createRecordList } from '../record-list.ts';

export interface ManifestLine {
  readonly index: number;
  /** As requested by the job. */
  readonly filename: string;
  /** The entry in the archive; absent if the file was skipped. */
  readonly entry?: { readonly name: string } & WrittenEntry;
  /** Why the file was skipped or replaced. */
  readonly failure?: SourceError;
  readonly lengthUnverified?: boolean;
}

export interface Manifest {
  add(line: ManifestLine): void;
  /** The complete text, in pieces. */
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

/** Creates an empty manifest. Ten thousand lines need only a few blocks of memory. */
export const createManifest = (): Manifest => {
  const lines = createRecordList();
  return {
    add: (line) => lines.append(Buffer.from(`${lines.count === 0 ? '' : ',\n'}${describe(line)}`)),
    pieces: () => [Buffer.from('{"manifestVersion":1,"files":[\n'), ...lines.blocks(), Buffer.from('\n]}\n')],
  };
};
