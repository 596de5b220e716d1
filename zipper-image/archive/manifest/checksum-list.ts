import { createRecordList } from '../record-list.ts';

/** Lines of SHA-256 and path, as GNU coreutils and BagIt write them. */
export interface ChecksumList {
  readonly count: number;
  add(path: string, sha256: string | undefined): void;
  /** The complete text. */
  pieces(): readonly Uint8Array[];
}

/**
 * No path needs the escapes of either format: a name of an entry contains no backslash and no control character
 * (runtime/entries/entry-name.ts), and one in a bag no percent sign (runtime/entries/manifest-names.ts).
 */
export function createChecksumList(): ChecksumList {
  const lines = createRecordList();
  return {
    get count() {
      return lines.count;
    },
    add: (path, sha256) => {
      if (sha256 === undefined) throw new TypeError('the archive computes no SHA-256 of its entries');
      lines.append(Buffer.from(`${sha256}  ${path}\n`));
    },
    pieces: () => lines.blocks(),
  };
}
