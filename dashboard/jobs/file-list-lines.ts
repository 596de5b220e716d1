import { createGunzip } from 'node:zlib';
import { createUserClient } from '#administration/changes/user-client.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { FILE_LIST_SECRET_KEY } from '#crds/zipper-contract.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { RESOURCES, type Secret } from '#runtime/kube/resources.ts';

const READ_LIMIT_MS = 5_000;

/** Of one Secret, unpacked. URLs that differ only in a few characters compress to a twentieth of their size. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
/** A data: URL may have 192 KiB. */
const MAX_LINE_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** The lines of one file list, which is in several Secrets. */
interface FileListLines {
  /**
   * Reads the part of the list in the next Secret. False if no wanted line can follow.
   * @throws Error if the part is damaged or too large
   */
  read(packed: Buffer, signal: AbortSignal): Promise<boolean>;
}

interface FileListLinesOptions {
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
function createFileListLines({ wanted, count, onLine }: FileListLinesOptions): FileListLines {
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

/** The compressed part of the list in a Secret; empty without one. */
function packedOf(secret: Secret | undefined): Buffer {
  return Buffer.from(secret?.data?.[FILE_LIST_SECRET_KEY] ?? '', 'base64');
}

/**
 * Reads the Secrets of a job's list one after another, until the last wanted line. False if they have more than `maxBytes`: the
 * annotation with their size is missing from reruns, and anyone who creates a job can choose it. @throws the errors of `onLine`
 */
export async function readFileListLines(
  kube: KubeClient,
  { metadata, spec }: ZipJob,
  { maxBytes, ...options }: Omit<FileListLinesOptions, 'count'> & { readonly maxBytes: number },
): Promise<boolean> {
  const secrets = createUserClient(kube, RESOURCES.secrets);
  const signal = AbortSignal.timeout(READ_LIMIT_MS);
  const { secretNames = [], count = 0 } = spec.filesFrom ?? {};
  const lines = createFileListLines({ ...options, count });
  let bytes = 0;
  for (const name of secretNames) {
    const packed = packedOf(await secrets.get(metadata.namespace, name, signal));
    bytes += packed.length;
    if (bytes > maxBytes) return false;
    if (!(await lines.read(packed, signal))) break;
  }
  return true;
}
