/**
 * The zip writer: converts entries to the bytes of an archive, in one pass and without a temporary file.
 *
 * The format of an entry depends only on its content, so that the same inputs give the same bytes:
 * - a small body that is completely available: sizes and CRC in the local header; stored, or deflated if
 *   that is smaller;
 * - any other body: a deflate stream, which marks its own end (stored blocks or compressed), and a data descriptor.
 *   Stored data with a descriptor is never written, because streaming readers cannot find its end.
 */
import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import type { Compression } from '#crds/zip-job.ts';
import { AppError } from '#runtime/errors.ts';
import type { ByteSink } from '../byte-sink.ts';
import { readHead } from './body-head.ts';
import { DEFLATE_LEVEL, isCompressible, needsProbe, PROBE_BYTES } from './compressible.ts';
import {
  deflateBound,
  encodeDeflated,
  encodeKnownLength,
  encodeUnknownLength,
  storedBlocksSize,
} from './entry-encoders.ts';
import { createRecordList } from './record-list.ts';
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
  /** Expected bytes of the body; undefined if the source does not declare them. */
  readonly declaredLength: number | undefined;
  /** Each chunk is valid only until the next one is requested. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body, if it is small enough to keep in memory. */
  readonly small: Uint8Array | undefined;
  /** Computes the SHA-256 even if the archive does not for every entry. Default false. */
  readonly sha256?: boolean;
}

/** Sizes and checksums of a written entry. */
export interface WrittenEntry extends EntrySizes {
  /** SHA-256 (hex) of the content, if it was computed. */
  readonly sha256?: string;
}

export interface Archive {
  /** Writes one entry. Entries are written one after another, in the order of the calls. */
  add(entry: ArchiveEntry, signal?: AbortSignal): Promise<WrittenEntry>;
  /** Writes the central directory. No entry can be added afterwards. */
  finish(): Promise<{ readonly entries: number; readonly bytes: number }>;
}

export interface ArchiveOptions {
  readonly sink: ByteSink;
  readonly compression: Compression;
  /** Computes the SHA-256 of every entry, which costs more CPU time than everything else. Default false. */
  readonly sha256?: boolean;
  /**
   * Writes 64-bit sizes for entries of unknown length. This removes their size limit, but some readers cannot read
   * them. Default false.
   */
  readonly zip64ForUnknownLength?: boolean;
}

const compress = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);

function tooLarge(name: string): AppError {
  return new AppError(
    `Could not write "${name}": its source declares no length and exceeds 4 GiB, the limit of such an entry. Make the source send Content-Length, or set SOURCE_UNKNOWN_LENGTH_ZIP64`,
    { code: 'SourceTooLarge', retryable: false },
  );
}

function wrongLength(name: string, declared: number, size: number): AppError {
  return new AppError(
    `Could not write "${name}": the source declared ${declared} bytes but sent ${size}; the file may have changed during the download`,
    { code: 'SourceTruncated', retryable: true },
  );
}

interface Measured {
  readonly body: AsyncIterable<Uint8Array>;
  crc: number;
  size: number;
}

interface MeasureOptions {
  readonly hash: Hash | undefined;
  /** Maximum bytes if no length was declared. */
  readonly limit: number;
  /** The encoder computes the CRC-32. */
  readonly withoutCrc: boolean;
}

function digestOf(hash: Hash | undefined) {
  return hash ? { sha256: hash.digest('hex') } : {};
}

/** Counts bytes and computes checksums of a body, and rejects what the entry cannot contain. */
function measure(entry: ArchiveEntry, body: AsyncIterable<Uint8Array>, options: MeasureOptions): Measured {
  const { hash, withoutCrc } = options;
  const limit = entry.declaredLength ?? options.limit;
  async function* round(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      measured.size += chunk.length;
      if (measured.size > limit)
        throw entry.declaredLength === undefined
          ? tooLarge(entry.name)
          : wrongLength(entry.name, entry.declaredLength, measured.size);
      if (!withoutCrc) measured.crc = crc32(chunk, measured.crc);
      hash?.update(chunk);
      yield chunk;
    }
    if (entry.declaredLength !== undefined && measured.size !== entry.declaredLength)
      throw wrongLength(entry.name, entry.declaredLength, measured.size);
  }
  const measured: Measured = { body: round(), crc: 0, size: 0 };
  return measured;
}

class ZipWriter implements Archive {
  readonly #options: ArchiveOptions;
  readonly #sink: ByteSink;
  readonly #compression: Compression;
  readonly #directory = createRecordList();
  #offset = 0;

  constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#sink = options.sink;
    this.#compression = options.compression;
  }

  add(entry: ArchiveEntry, signal?: AbortSignal): Promise<WrittenEntry> {
    return entry.small ? this.#addSmall(entry, entry.small) : this.#addStreamed(entry, signal);
  }

  async finish(): Promise<{ readonly entries: number; readonly bytes: number }> {
    const { size, count } = this.#directory;
    const offset = this.#offset;
    for (const block of this.#directory.blocks()) await this.#write(block);
    await this.#write(endRecords({ entries: count, offset, size }));
    return { entries: count, bytes: this.#offset };
  }

  async #write(chunk: Uint8Array, crc?: number): Promise<void> {
    await this.#sink.write(chunk, crc);
    this.#offset += chunk.length;
  }

  #startHash(entry: ArchiveEntry): Hash | undefined {
    return this.#options.sha256 === true || entry.sha256 === true ? createHash('sha256') : undefined;
  }

  async #addSmall(entry: ArchiveEntry, body: Uint8Array): Promise<WrittenEntry> {
    const deflated = isCompressible(this.#compression, entry.name, body)
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
    const at = this.#offset;
    await this.#write(localHeader(head, sizes));
    await this.#write(data, data === body ? sizes.crc : undefined);
    this.#directory.append(directoryHeader(head, sizes, at));
    return { ...sizes, ...digestOf(this.#startHash(entry)?.update(body)) };
  }

  /** Whether the entry may need 64-bit sizes. */
  #needsZip64(declaredLength: number | undefined, deflate: boolean): boolean {
    if (declaredLength === undefined) return this.#options.zip64ForUnknownLength === true;
    return (deflate ? deflateBound(declaredLength) : storedBlocksSize(declaredLength)) >= ZIP64_FROM;
  }

  async #addStreamed(entry: ArchiveEntry, signal: AbortSignal | undefined): Promise<WrittenEntry> {
    const probed = needsProbe(this.#compression, entry.name)
      ? await readHead(entry.body, PROBE_BYTES)
      : { head: new Uint8Array(0), body: entry.body };
    const deflate = isCompressible(this.#compression, entry.name, probed.head);
    const head: EntryHead = {
      name: Buffer.from(entry.name),
      method: DEFLATED,
      streamed: true,
      zip64: this.#needsZip64(entry.declaredLength, deflate),
      time: toZipTime(entry.modified),
    };
    const at = this.#offset;
    await this.#write(localHeader(head, { crc: 0, compressedSize: 0, size: 0 }));
    const hash = this.#startHash(entry);
    const limit = head.zip64 ? Number.MAX_SAFE_INTEGER : ZIP64_FROM - 1;
    const withoutCrc = !deflate && entry.declaredLength !== undefined;
    const measured = measure(entry, probed.body, { hash, limit, withoutCrc });
    const compressedSize = await this.#encode(measured, {
      deflate,
      length: entry.declaredLength,
      signal,
    });
    this.#offset += compressedSize;
    if (!head.zip64 && compressedSize >= ZIP64_FROM) throw tooLarge(entry.name);
    const sizes = { crc: measured.crc, compressedSize, size: measured.size };
    await this.#write(dataDescriptor(head, sizes));
    this.#directory.append(directoryHeader(head, sizes, at));
    return { ...sizes, ...digestOf(hash) };
  }

  /** Writes the data of the entry and returns its size. */
  async #encode(measured: Measured, how: Encoding): Promise<number> {
    const { body } = measured;
    const options = { sink: this.#sink, signal: how.signal };
    if (how.deflate) return encodeDeflated(body, options);
    if (how.length === undefined) return encodeUnknownLength(body, options);
    measured.crc = await encodeKnownLength(body, how.length, options);
    return storedBlocksSize(how.length);
  }
}

interface Encoding {
  readonly deflate: boolean;
  readonly length: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Creates a writer whose archive starts at the next byte of the sink. */
export function createArchive(options: ArchiveOptions): Archive {
  return new ZipWriter(options);
}
