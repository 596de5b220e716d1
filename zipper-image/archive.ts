/**
 * The zip writer: entries in, the exact bytes of an archive out, in one pass and without a file.
 *
 * Which form an entry takes is fixed by rules over its content, so that the same inputs give the same bytes:
 * - a small body that is wholly there: sizes and CRC in the local header; stored, or deflated where that is smaller;
 * - any other body: deflate data that ends itself (stored blocks, or really compressed) and a descriptor. Stored data with a
 *   descriptor is never written: readers that stream cannot find its end.
 */
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import type { Compression } from '#crds/zip-job.ts';
import { AppError } from '#runtime/errors.ts';
import { readHead } from './body-head.ts';
import type { ByteSink } from './byte-sink.ts';
import { DEFLATE_LEVEL, isCompressible, needsProbe, PROBE_BYTES } from './compressible.ts';
import {
  deflateBound,
  encodeDeflated,
  encodeKnownLength,
  encodeUnknownLength,
  storedBlocksSize,
} from './entry-encoders.ts';
import {
  DEFLATED,
  dataDescriptor,
  directoryHeader,
  type EntryHead,
  type EntrySizes,
  endRecords,
  localHeader,
  STORED,
  ZIP64_FROM,
} from './zip-records.ts';
import { toZipTime } from './zip-time.ts';

export interface ArchiveEntry {
  readonly name: string;
  readonly modified: Date;
  /** Bytes that the body will have; undefined when the source does not tell. */
  readonly declaredLength: number | undefined;
  /** Each chunk is used only until the next is asked for. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body, when it is small enough to be held. */
  readonly small: Uint8Array | undefined;
}

export interface Archive {
  /** Writes one entry. Entries are written one after another, in the order of the calls. */
  add(entry: ArchiveEntry, signal?: AbortSignal): Promise<EntrySizes>;
  /** Writes the directory; nothing may be added after it. */
  finish(): Promise<{ readonly entries: number; readonly bytes: number }>;
}

export interface ArchiveOptions {
  readonly sink: ByteSink;
  readonly compression: Compression;
}

const compress = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);

const tooLarge = (name: string): AppError =>
  new AppError(
    `Writing "${name}": its source declares no length and sent 4 GiB, more than such an entry can hold; have the source send Content-Length`,
    { code: 'SourceTooLarge', retryable: false },
  );

const wrongLength = (name: string, declared: number, size: number): AppError =>
  new AppError(
    `Writing "${name}": the source declared ${declared} bytes and gave ${size}; the file may have changed while it was read`,
    { code: 'SourceTruncated', retryable: true },
  );

/** Directory records of all entries, packed into few large blocks. */
const createDirectory = () => {
  const BLOCK = 65_536;
  const blocks: Buffer[] = [];
  let free = Buffer.alloc(0);
  let size = 0;
  let entries = 0;
  return {
    append(record: Buffer): void {
      if (record.length > free.length) {
        if (free.length > 0) trimLast(blocks, free.length);
        const block = Buffer.allocUnsafe(Math.max(BLOCK, record.length));
        blocks.push(block);
        free = block;
      }
      record.copy(free);
      free = free.subarray(record.length);
      size += record.length;
      entries += 1;
    },
    take(): { readonly blocks: readonly Buffer[]; readonly size: number; readonly entries: number } {
      if (free.length > 0) trimLast(blocks, free.length);
      free = Buffer.alloc(0);
      return { blocks, size, entries };
    },
  };
};

const trimLast = (blocks: Buffer[], unused: number): void => {
  const last = blocks.pop();
  if (last) blocks.push(last.subarray(0, last.length - unused));
};

interface Measured {
  readonly body: AsyncIterable<Uint8Array>;
  crc: number;
  size: number;
}

/** Counts and sums what passes through, and refuses what the entry cannot hold. */
const measure = (entry: ArchiveEntry, body: AsyncIterable<Uint8Array>): Measured => {
  const limit = entry.declaredLength ?? ZIP64_FROM - 1;
  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      measured.size += chunk.length;
      if (measured.size > limit)
        throw entry.declaredLength === undefined
          ? tooLarge(entry.name)
          : wrongLength(entry.name, entry.declaredLength, measured.size);
      measured.crc = crc32(chunk, measured.crc);
      yield chunk;
    }
    if (entry.declaredLength !== undefined && measured.size !== entry.declaredLength)
      throw wrongLength(entry.name, entry.declaredLength, measured.size);
  }
  const measured: Measured = { body: pass(), crc: 0, size: 0 };
  return measured;
};

/** Creates a writer whose archive begins at the sink's next byte. */
export const createArchive = ({ sink, compression }: ArchiveOptions): Archive => {
  const directory = createDirectory();
  let offset = 0;

  const write = async (chunk: Uint8Array): Promise<void> => {
    await sink.write(chunk);
    offset += chunk.length;
  };

  const record = (head: EntryHead, sizes: EntrySizes, at: number): EntrySizes => {
    directory.append(directoryHeader(head, sizes, at));
    return sizes;
  };

  const addSmall = async (entry: ArchiveEntry, body: Uint8Array): Promise<EntrySizes> => {
    const deflated = isCompressible(compression, entry.name, body)
      ? await compress(body, { level: DEFLATE_LEVEL })
      : undefined;
    const data = deflated && deflated.length < body.length ? deflated : body;
    const head: EntryHead = {
      name: Buffer.from(entry.name),
      method: data === body ? STORED : DEFLATED,
      streamed: false,
      zip64: false,
      time: toZipTime(entry.modified),
    };
    const sizes = { crc: crc32(body), compressedSize: data.length, size: body.length };
    const at = offset;
    await write(localHeader(head, sizes));
    await write(data);
    return record(head, sizes, at);
  };

  const encode = async (
    entry: ArchiveEntry,
    source: { readonly measured: Measured; readonly deflate: boolean },
    signal: AbortSignal | undefined,
  ): Promise<number> => {
    const { measured, deflate } = source;
    if (deflate) return encodeDeflated(measured.body, { sink, signal });
    if (entry.declaredLength === undefined) return encodeUnknownLength(measured.body, { sink });
    await encodeKnownLength(measured.body, entry.declaredLength, { sink });
    return storedBlocksSize(entry.declaredLength);
  };

  const addStreamed = async (entry: ArchiveEntry, signal: AbortSignal | undefined): Promise<EntrySizes> => {
    const probed = needsProbe(compression, entry.name)
      ? await readHead(entry.body, PROBE_BYTES)
      : { head: new Uint8Array(0), body: entry.body };
    const deflate = isCompressible(compression, entry.name, probed.head);
    const length = entry.declaredLength ?? 0;
    const head: EntryHead = {
      name: Buffer.from(entry.name),
      method: DEFLATED,
      streamed: true,
      zip64: (deflate ? deflateBound(length) : storedBlocksSize(length)) >= ZIP64_FROM,
      time: toZipTime(entry.modified),
    };
    const at = offset;
    await write(localHeader(head, { crc: 0, compressedSize: 0, size: 0 }));
    const measured = measure(entry, probed.body);
    const compressedSize = await encode(entry, { measured, deflate }, signal);
    offset += compressedSize;
    if (!head.zip64 && compressedSize >= ZIP64_FROM) throw tooLarge(entry.name);
    const sizes = { crc: measured.crc, compressedSize, size: measured.size };
    await write(dataDescriptor(head, sizes));
    return record(head, sizes, at);
  };

  return {
    add: (entry, signal) => (entry.small ? addSmall(entry, entry.small) : addStreamed(entry, signal)),
    finish: async () => {
      const { blocks, size, entries } = directory.take();
      const at = offset;
      for (const block of blocks) await write(block);
      await write(endRecords({ entries, offset: at, size }));
      return { entries, bytes: offset };
    },
  };
};
