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
import { AppError, toError } from '#runtime/errors.ts';
import type { ArchiveSink, FillSlices, Place } from '../byte-sink.ts';
import { readHead } from './body-head.ts';
import { DEFLATE_LEVEL, isCompressible, needsProbe, PROBE_BYTES } from './compressible.ts';
import { deflateBound, encodeDeflated, encodeUnknownLength } from './entry-encoders.ts';
import { createRecordList } from './record-list.ts';
import { StoredData, storedBlocksSize } from './stored-data.ts';
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
  /**
   * Fills the slices of a body whose length is declared, from several places at a time. The body then has what the source sends from
   * its first byte on. Otherwise the body is read to its end.
   */
  readonly fill?: FillSlices | undefined;
  /** Computes the SHA-256 even if the archive does not for every entry. Default false. */
  readonly sha256?: boolean;
}

/** Sizes and checksums of a written entry. */
export interface WrittenEntry extends EntrySizes {
  /** SHA-256 (hex) of the content, if it was computed. */
  readonly sha256?: string;
}

export interface Added {
  /** Rejects as the body of the entry. Then the sink fails with the same error. */
  readonly written: Promise<WrittenEntry>;
}

export interface Archive {
  /**
   * Adds one entry behind all before it. Resolves when its place in the archive is known, so that the next one can be added. A body
   * whose length is declared and that is not compressed may still be missing then.
   */
  add(entry: ArchiveEntry, signal?: AbortSignal): Promise<Added>;
  /** Waits for all entries and writes the central directory. No entry can be added afterwards. */
  finish(): Promise<{ readonly entries: number; readonly bytes: number }>;
}

export interface ArchiveOptions {
  readonly sink: ArchiveSink;
  readonly compression: Compression;
  /** Computes the SHA-256 of every entry, which costs more CPU time than everything else. Default false. */
  readonly sha256?: boolean;
  /**
   * Writes 64-bit sizes for entries of unknown length. This removes their size limit, but some readers cannot read
   * them. Default false.
   */
  readonly zip64ForUnknownLength?: boolean;
  /** Most bytes that one reader of a large file reads at a time. Default 4 MiB. */
  readonly sliceBytes?: number;
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
}

function digestOf(hash: Hash | undefined) {
  return hash ? { sha256: hash.digest('hex') } : {};
}

/** Rejects a body of another length than it declares. */
async function* ofDeclaredLength(
  { name, declaredLength: declared }: Pick<ArchiveEntry, 'name' | 'declaredLength'>,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (declared !== undefined && size > declared) throw wrongLength(name, declared, size);
    yield chunk;
  }
  if (declared !== undefined && size !== declared) throw wrongLength(name, declared, size);
}

/** Counts bytes and computes checksums of a body, and rejects what the entry cannot contain. */
function measure(entry: ArchiveEntry, body: AsyncIterable<Uint8Array>, options: MeasureOptions): Measured {
  const { hash, limit } = options;
  async function* round(): AsyncGenerator<Uint8Array> {
    for await (const chunk of ofDeclaredLength(entry, body)) {
      measured.size += chunk.length;
      if (entry.declaredLength === undefined && measured.size > limit) throw tooLarge(entry.name);
      measured.crc = crc32(chunk, measured.crc);
      hash?.update(chunk);
      yield chunk;
    }
  }
  const measured: Measured = { body: round(), crc: 0, size: 0 };
  return measured;
}

/** An entry whose header is written. */
interface Started {
  readonly head: EntryHead;
  /** Offset of its header in the archive. */
  readonly at: number;
}

/** Long enough that a request costs little, and short enough that the parts of the upload do not all end at once. */
const SLICE_BYTES = 4 * 1024 * 1024;

class ZipWriter implements Archive {
  readonly #options: ArchiveOptions;
  readonly #sink: ArchiveSink;
  readonly #compression: Compression;
  readonly #directory = createRecordList();
  #offset = 0;
  /** Resolves when all entries so far are in the directory, in the order of the calls. */
  #recorded: Promise<void> = Promise.resolve();

  constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#sink = options.sink;
    this.#compression = options.compression;
  }

  async add(entry: ArchiveEntry, signal?: AbortSignal): Promise<Added> {
    const { started, written } = entry.small
      ? await this.#addSmall(entry, entry.small)
      : await this.#addStreamed(entry, signal);
    const recorded = this.#recorded.then(async () => {
      this.#directory.append(directoryHeader(started.head, await written, started.at));
    });
    // Anyone who waits for a buffer is rejected, and both promises are handled although nobody may wait for them.
    written.catch((error: unknown) => this.#sink.fail(toError(error)));
    recorded.catch(() => undefined);
    this.#recorded = recorded;
    return { written };
  }

  async finish(): Promise<{ readonly entries: number; readonly bytes: number }> {
    await this.#recorded;
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

  /** Reserves as many of the next bytes as fit into one place. */
  async #reserve(most: number): Promise<Place> {
    const place = await this.#sink.reserve(most);
    this.#offset += place.bytes.length;
    return place;
  }

  async #start(head: EntryHead, sizes: EntrySizes): Promise<Started> {
    const at = this.#offset;
    await this.#write(localHeader(head, sizes));
    return { head, at };
  }

  #startHash(entry: ArchiveEntry): Hash | undefined {
    return this.#options.sha256 === true || entry.sha256 === true ? createHash('sha256') : undefined;
  }

  async #addSmall(entry: ArchiveEntry, body: Uint8Array): Promise<Added & { readonly started: Started }> {
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
    const started = await this.#start(head, sizes);
    await this.#write(data, data === body ? sizes.crc : undefined);
    const written = { ...sizes, ...digestOf(this.#startHash(entry)?.update(body)) };
    return { started, written: Promise.resolve(written) };
  }

  /** Whether the entry may need 64-bit sizes. */
  #needsZip64(declaredLength: number | undefined, deflate: boolean): boolean {
    if (declaredLength === undefined) return this.#options.zip64ForUnknownLength === true;
    return (deflate ? deflateBound(declaredLength) : storedBlocksSize(declaredLength)) >= ZIP64_FROM;
  }

  async #addStreamed(entry: ArchiveEntry, signal: AbortSignal | undefined) {
    const probed = needsProbe(this.#compression, entry.name)
      ? await readHead(entry.body, PROBE_BYTES)
      : { head: new Uint8Array(0), body: entry.body };
    const deflate = isCompressible(this.#compression, entry.name, probed.head);
    const { declaredLength } = entry;
    const head: EntryHead = {
      name: Buffer.from(entry.name),
      method: DEFLATED,
      streamed: true,
      zip64: this.#needsZip64(declaredLength, deflate),
      time: toZipTime(entry.modified),
    };
    const started = await this.#start(head, NO_SIZES);
    const hash = this.#startHash(entry);
    if (!deflate && declaredLength !== undefined) {
      const stored = new StoredData(declaredLength, hash);
      const { sizes } = await this.#place(stored, this.#pour(entry, probed.body, stored), started);
      return { started, written: sizes.then((known) => ({ ...known, ...digestOf(hash) })) };
    }
    const limit = head.zip64 ? Number.MAX_SAFE_INTEGER : ZIP64_FROM - 1;
    const measured = measure(entry, probed.body, { hash, limit });
    // Nothing can be added behind it before its length is known.
    const sizes = await this.#encode(measured, { deflate, signal }, started);
    return { started, written: Promise.resolve({ ...sizes, ...digestOf(hash) }) };
  }

  /** Writes an entry whose place ends with its last byte. */
  async #encode(measured: Measured, { deflate, signal }: Encoding, { head }: Started): Promise<EntrySizes> {
    const options = { sink: this.#sink, signal };
    const encode = deflate ? encodeDeflated : encodeUnknownLength;
    const compressedSize = await encode(measured.body, options);
    this.#offset += compressedSize;
    if (!head.zip64 && compressedSize >= ZIP64_FROM) throw tooLarge(head.name.toString());
    const sizes = { crc: measured.crc, compressedSize, size: measured.size };
    await this.#write(dataDescriptor(head, sizes));
    return sizes;
  }

  /** Reserves the place of data and descriptor, while the data is poured into it. */
  async #place(stored: StoredData, poured: Promise<void>, { head }: Started) {
    // It must not stay unhandled while this waits for a buffer.
    poured.catch((error: unknown) => this.#sink.fail(toError(error)));
    const { sliceBytes = SLICE_BYTES } = this.#options;
    while (stored.unplanned > 0) stored.plan(await this.#reserve(Math.min(stored.unplanned, sliceBytes)));
    const descriptor = await this.#reserveAll(dataDescriptor(head, NO_SIZES).length);
    async function finish(): Promise<EntrySizes> {
      await poured;
      const sizes = { crc: stored.crc, compressedSize: stored.codedBytes, size: stored.length };
      fill(descriptor, dataDescriptor(head, sizes));
      return sizes;
    }
    return { sizes: finish() };
  }

  async #pour(entry: ArchiveEntry, body: AsyncIterable<Uint8Array>, stored: StoredData): Promise<void> {
    if (entry.fill) return entry.fill(stored, body);
    for await (const chunk of ofDeclaredLength(entry, body)) await stored.write(chunk);
  }

  async #reserveAll(bytes: number): Promise<readonly Place[]> {
    const places: Place[] = [];
    for (let left = bytes; left > 0; left -= places.at(-1)?.bytes.length ?? 0)
      places.push(await this.#reserve(left));
    return places;
  }
}

const NO_SIZES: EntrySizes = { crc: 0, compressedSize: 0, size: 0 };

function fill(places: readonly Place[], record: Buffer): void {
  let at = 0;
  for (const place of places) {
    const part = record.subarray(at, at + place.bytes.length);
    place.bytes.set(part);
    place.filled(crc32(part));
    at += part.length;
  }
}

interface Encoding {
  readonly deflate: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Creates a writer whose archive starts at the next byte of the sink. */
export function createArchive(options: ArchiveOptions): Archive {
  return new ZipWriter(options);
}
