import { createGunzip } from 'node:zlib';

/** Of one Secret, unpacked. URLs that differ only in a few characters compress to a twentieth of their size. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
/** A data: URL may have 192 KiB. */
const MAX_LINE_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** The lines of one file list, which is in several Secrets. */
export interface FileListLines {
  /**
   * Reads the part of the list in the next Secret. False if no wanted line can follow.
   * @throws Error if the part is damaged or too large
   */
  read(packed: Buffer, signal: AbortSignal): Promise<boolean>;
}

export interface FileListLinesOptions {
  /** Indices of the wanted lines. */
  readonly wanted: ReadonlySet<number>;
  /** Number of lines; further ones are not read. */
  readonly count: number;
  readonly onLine: (index: number, line: string) => void;
}

/**
 * Anyone who can create a ZipJob decides what the Secrets contain. So the list is unpacked in pieces, with one wanted line in memory
 * at a time, and reading ends after the last wanted line. A line that is too long is left out.
 */
export function createFileListLines({ wanted, count, onLine }: FileListLinesOptions): FileListLines {
  const end = Math.min(Math.max(-1, ...wanted) + 1, count);
  let index = 0;
  let bytes = 0;
  let parts: Buffer[] = [];
  function add(part: Buffer): void {
    bytes += part.length;
    if (wanted.has(index) && bytes <= MAX_LINE_BYTES) parts.push(part);
  }
  function endLine(): void {
    if (wanted.has(index) && bytes <= MAX_LINE_BYTES) onLine(index, Buffer.concat(parts).toString('utf8'));
    index += 1;
    bytes = 0;
    parts = [];
  }
  function addPiece(piece: Buffer): void {
    for (let start = 0; start < piece.length && index < end; ) {
      const newline = piece.indexOf(NEWLINE, start);
      add(piece.subarray(start, newline === -1 ? piece.length : newline));
      if (newline === -1) return;
      endLine();
      start = newline + 1;
    }
  }
  return {
    read: async (packed, signal) => {
      if (packed.length === 0) throw new Error('a part of the file list is missing');
      const unpacked = createGunzip({ chunkSize: PIECE_BYTES });
      unpacked.end(packed);
      let unpackedBytes = 0;
      for await (const piece of unpacked as AsyncIterable<Buffer>) {
        signal.throwIfAborted();
        unpackedBytes += piece.length;
        if (unpackedBytes > MAX_UNPACKED_BYTES) throw new Error('a part of the file list is too large');
        addPiece(piece);
        if (index >= end) return false;
      }
      if (bytes > 0) endLine();
      return index < end;
    },
  };
}
