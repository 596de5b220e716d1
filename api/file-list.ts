import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { ListedFile } from '#crds/zip-job.ts';
import { parameterInvalid } from './api-error.ts';

/** A file list as it is stored: the chunks together are gzipped JSON lines, one entry a line. */
export interface FileList {
  readonly chunks: readonly Buffer[];
  readonly count: number;
  /** SHA-256 (hex) of all lines, uncompressed. */
  readonly sha256: string;
}

/** Compressed size of the whole list. */
export const fileListBytes = ({ chunks }: Pick<FileList, 'chunks'>): number =>
  chunks.reduce((sum, chunk) => sum + chunk.length, 0);

export interface FileListLimits {
  /** Compressed size that a chunk stays below. A Secret holds 1 MiB; base64 and the API server's own limits are counted apart. */
  readonly maxChunkBytes: number;
  readonly maxChunks: number;
}

const FILE_LIST_LIMITS: FileListLimits = { maxChunkBytes: 900 * 1024, maxChunks: 16 };

/** Uncompressed size after which a gzip member is closed: small against a chunk, so that chunks fill well. */
const MEMBER_BYTES = 128 * 1024;

/** Up to this size compressing at once costs less than the way to the thread pool and back. */
const SYNC_BYTES = 8 * 1024;

const gzipAsync = promisify(gzip);
const compress = async (bytes: Buffer): Promise<Buffer> =>
  bytes.length <= SYNC_BYTES ? gzipSync(bytes) : gzipAsync(bytes);

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

/** Members of gzip may follow each other in one file, so that a chunk is filled by compressed size without compressing twice. */
const pack = (compressed: readonly Buffer[], maxChunkBytes: number): Buffer[] => {
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
};

/**
 * Writes the list down for the zipper: the same list gives the same bytes.
 * @throws ApiError parameter_invalid when it does not fit into the Secrets that a job may have
 */
export const packFileList = async (
  files: readonly ListedFile[],
  limits: FileListLimits = FILE_LIST_LIMITS,
): Promise<FileList> => {
  const digest = createHash('sha256');
  const compressed: Promise<Buffer>[] = [];
  const lines = files
    .values()
    .map(
      ({ url, filename, headers }) => `${JSON.stringify({ url, filename, ...(headers && { headers }) })}\n`,
    );
  for (const member of members(lines)) {
    const bytes = Buffer.from(member);
    digest.update(bytes);
    compressed.push(compress(bytes));
  }
  const chunks = pack(await Promise.all(compressed), limits.maxChunkBytes);
  if (chunks.length > limits.maxChunks)
    throw parameterInvalid(
      'urls',
      `urls is too large: compressed it takes more than ${limits.maxChunks} x ${limits.maxChunkBytes} bytes.`,
    );
  return { chunks, count: files.length, sha256: digest.digest('hex') };
};
