import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { ListedFile } from '#crds/zip-job.ts';
import { expectationsOf } from '../entries/expectations.ts';
import { AppError } from '../errors.ts';

/** A stored file list: all chunks together are gzipped JSON lines, one entry per line. */
export interface FileList {
  readonly chunks: readonly Buffer[];
  readonly count: number;
  /** SHA-256 (hex) of all lines, uncompressed. */
  readonly sha256: string;
}

/** Compressed size of the whole list. */
export function fileListBytes({ chunks }: Pick<FileList, 'chunks'>): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

export interface FileListLimits {
  /** Maximum compressed size of a chunk, below the 1 MiB limit of a Secret. */
  readonly maxChunkBytes: number;
  readonly maxChunks: number;
}

/** For what the largest body can contain. Random signatures and tokens shrink to three quarters. */
const FILE_LIST_LIMITS: FileListLimits = { maxChunkBytes: 900 * 1024, maxChunks: 32 };

/** Without fields that a list does not store. */
export function onlyListed({ url, filename, headers, ...stated }: ListedFile): ListedFile {
  return {
    url,
    filename,
    ...(headers && { headers }),
    ...expectationsOf(stated),
  };
}

/** The list does not fit into the Secrets of a job. The message is the end of a sentence about the list. */
export class FileListTooLargeError extends AppError {
  constructor({ maxChunks, maxChunkBytes }: FileListLimits, list: Pick<FileList, 'chunks' | 'count'>) {
    const most = maxChunks * maxChunkBytes;
    const fitting = Math.floor((list.count * most) / fileListBytes(list));
    super(
      `is too large: its compressed size exceeds ${most} bytes, and about ${fitting} of its entries fit`,
      {
        code: 'FileListTooLarge',
        retryable: false,
      },
    );
  }
}

/** Uncompressed size of a gzip member: small compared to a chunk, so that chunks are well filled. */
const MEMBER_BYTES = 128 * 1024;

/** Up to this size, synchronous compression is cheaper than a round trip to the thread pool. */
const SYNC_BYTES = 8 * 1024;

const gzipAsync = promisify(gzip);

async function compress(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= SYNC_BYTES ? gzipSync(bytes) : gzipAsync(bytes);
}

function* members(lines: Iterable<string>): Generator<string> {
  let member = '';
  for (const line of lines) {
    member += line;
    if (member.length >= MEMBER_BYTES) {
      yield member;
      member = '';
    }
  }
  if (member !== '') yield member;
}

/** Concatenated gzip members are a valid file, so that chunks are filled by compressed size without compressing twice. */
function pack(compressed: readonly Buffer[], maxChunkBytes: number): Buffer[] {
  const chunks: Buffer[][] = [];
  let size = 0;
  for (const member of compressed) {
    const current = chunks.at(-1);
    if (current !== undefined && size + member.length < maxChunkBytes) {
      current.push(member);
      size += member.length;
    } else {
      chunks.push([member]);
      size = member.length;
    }
  }
  return chunks.map((parts) => Buffer.concat(parts));
}

/**
 * Encodes the list for the zipper; the same list always results in the same bytes.
 * @throws FileListTooLargeError
 */
export async function packFileList(
  files: readonly ListedFile[],
  limits: FileListLimits = FILE_LIST_LIMITS,
): Promise<FileList> {
  const digest = createHash('sha256');
  const compressed: Buffer[] = [];
  const lines = files.values().map((file) => `${JSON.stringify(onlyListed(file))}\n`);
  for (const member of members(lines)) {
    const bytes = Buffer.from(member);
    digest.update(bytes);
    // One at a time: memory stays small, and other requests run in between.
    compressed.push(await compress(bytes));
  }
  const chunks = pack(compressed, limits.maxChunkBytes);
  if (chunks.length > limits.maxChunks)
    throw new FileListTooLargeError(limits, { chunks, count: files.length });
  return { chunks, count: files.length, sha256: digest.digest('hex') };
}
