import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Expectations, FileEntry, ListedFile } from '#crds/zip-job.ts';
import { fileListMountName } from '#crds/zipper-contract.ts';
import {
  expectationFault,
  expectationsOf,
  type UncheckedExpectations,
} from '#runtime/entries/expectations.ts';
import { AppError } from '#runtime/errors.ts';
import { readSourceHeaders } from '#runtime/zip-request/source-headers.ts';

export interface FileListSource {
  readonly directory: string;
  /** Chunks 0 to chunks - 1 are files named `<n>.jsonl.gz`. */
  readonly chunks: number;
  readonly count: number;
  /** SHA-256 (hex) of all uncompressed bytes of all chunks in order. */
  readonly sha256: string;
  /** Maximum uncompressed bytes of all chunks together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The list does not match the job. A retry does not help, because it gets the same list. */
export class FileListError extends AppError {
  constructor(problem: string, cause?: unknown) {
    super(`Could not read the file list: ${problem}`, {
      code: 'FileListMismatch',
      retryable: false,
      cause,
    });
  }
}

type UncheckedFile = Pick<FileEntry, 'url' | 'filename'> &
  UncheckedExpectations & { readonly headers?: unknown };

function isFileEntry(value: unknown): value is UncheckedFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    'url' in value &&
    typeof value.url === 'string' &&
    'filename' in value &&
    typeof value.filename === 'string'
  );
}

/** What the line contains besides URL and name. */
function readOptions(value: UncheckedFile, index: number): Omit<ListedFile, 'url' | 'filename'> {
  const headers = value.headers === undefined ? undefined : readSourceHeaders(value.headers);
  if (value.headers !== undefined && !headers)
    throw new FileListError(`line ${index} has "headers" that are not allowed`);
  const fault = expectationFault(value);
  if (fault) throw new FileListError(`line ${index}: "${fault.name}" ${fault.problem}`);
  return { ...(headers && { headers }), ...expectationsOf(value as Expectations) };
}

function parseLine(line: string, index: number): ListedFile {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new FileListError(`line ${index} is not valid JSON`);
  }
  if (!isFileEntry(value)) throw new FileListError(`line ${index} lacks the strings "url" and "filename"`);
  const { url, filename } = value;
  return { url, filename, ...readOptions(value, index) };
}

function decode(bytes: Buffer, chunk: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileListError(`chunk ${chunk} is not UTF-8`);
  }
}

/** Decompresses one chunk to at most `room` bytes. */
async function unpack(source: FileListSource, chunk: number, room: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  async function collect(unpacked: AsyncIterable<Buffer>): Promise<void> {
    for await (const part of unpacked) {
      bytes += part.byteLength;
      if (bytes > room) throw new FileListError(`it is larger than ${source.maxBytes} bytes`);
      parts.push(part);
    }
  }
  const path = join(source.directory, fileListMountName(chunk));
  try {
    await pipeline(createReadStream(path), createGunzip(), collect, { signal: source.signal });
  } catch (error) {
    source.signal.throwIfAborted();
    throw error instanceof FileListError
      ? error
      : new FileListError(`chunk ${chunk} cannot be read from ${path}`, error);
  }
  return Buffer.concat(parts, bytes);
}

/**
 * Reads the mounted file list, in order, and verifies that it matches the job.
 * @throws FileListError (`FileListMismatch`), or the reason of the signal
 */
export async function readFileList(source: FileListSource): Promise<readonly ListedFile[]> {
  const hash = createHash('sha256');
  const files: ListedFile[] = [];
  let room = source.maxBytes;
  for (let chunk = 0; chunk < source.chunks; chunk += 1) {
    const bytes = await unpack(source, chunk, room);
    room -= bytes.byteLength;
    hash.update(bytes);
    for (const line of decode(bytes, chunk).split('\n')) {
      if (line !== '') files.push(parseLine(line, files.length));
    }
  }
  if (hash.digest('hex') !== source.sha256) throw new FileListError('its SHA-256 does not match the job');
  if (files.length !== source.count)
    throw new FileListError(`it has ${files.length} entries, but the job has ${source.count}`);
  return files;
}
