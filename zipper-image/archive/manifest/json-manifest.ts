import { createRecordList } from '../record-list.ts';
import type { Manifest, ManifestLine } from './manifest.ts';

function outcomeOf({ entry, failure }: ManifestLine): string {
  if (!failure) return 'written';
  return entry ? 'placeholder' : 'skipped';
}

function describe(line: ManifestLine): string {
  const { index, filename, entry, failure, lengthUnverified, contentEncoded } = line;
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
    ...(contentEncoded === true && { contentEncoded }),
    ...(failure && { error: { code: failure.code, httpStatus: failure.httpStatus } }),
  });
}

/** A manifest in our own format, which also lists the skipped files. */
export function createJsonManifest(name: string): Manifest {
  const lines = createRecordList();
  return {
    add: (line) => lines.append(Buffer.from(`${lines.count === 0 ? '' : ',\n'}${describe(line)}`)),
    files: () => [
      {
        name,
        pieces: [Buffer.from('{"manifestVersion":1,"files":[\n'), ...lines.blocks(), Buffer.from('\n]}\n')],
      },
    ],
  };
}
