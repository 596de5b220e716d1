/**
 * The zip writer: converts entries to the bytes of an archive, in one pass and without a temporary file.
 *
 * The format of an entry depends only on its content, so that the same inputs give the same bytes:
 * - a small body that is completely available: sizes and CRC in the local header; stored, or deflated if
 *   that is smaller;
 * - a body that is not compressed and whose length and CRC-32 are known before: stored, with both in the local header;
 * - any other body: a deflate stream, which marks its own end (stored blocks or compressed), and a data descriptor.
 *   Stored data with a descriptor is never written, because streaming readers cannot find its end.
 */
import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { Compression } from '#crds/zip-job.ts';
import { toError } from '#runtime/errors.ts';
import type { ArchiveSink, FillSlices, Place } from '../byte-sink.ts';
import { crc32 } from '../crc32.ts';
import { layoutChanged } from '../layout-changed.ts';
import type { ContinuedFile, EntryRecord } from '../resume/types.ts';
import { ArchiveOutput } from './archive-output.ts';
import { readHead } from './body-head.ts';
import { DEFLATE_LEVEL, isCompressible, needsProbe, PROBE_BYTES } from './compressible.ts';
import { type Coding, codedBound, encodeDeflated, encodeUnknownLength } from './entry-encoders.ts';
import { type Measured, measure, ofDeclaredLength, tooLarge } from './measured-body.ts';
import { createRecordList } from './record-list.ts';
import {
  assertComplete,
  assertRepeated,
  crcIn,
  headOf,
  type PlacedEntry,
  placedAs,
  placedOf,
  type WrittenEntry,
  writtenOf,
} from './recorded-entry.ts';
import { StoredData } from './stored-data.ts';
import {
  DEFLATED,
  dataDescriptor,
  descriptorBytes,
  directoryHeader,
  type EntryHead,
  type EntrySizes,
  endRecords,
  localHeader,
  STORED,
  ZIP64_FROM,
} from './zip-records.ts';
import { ofSecondsSince1980, toZipTime } from './zip-time.ts';

export interface ArchiveEntry {
  readonly name: string;
  readonly modified: Date;
  /** Expected bytes of the body; undefined if the source does not declare them. */
  readonly declaredLength: number | undefined;
  /** CRC-32 of the body, if it is known before. The caller compares it with that of the written entry. */
  readonly crc32?: number | undefined;
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
  /** An earlier process has written it, with the time that it recorded. */
  readonly continues?: ContinuedFile | undefined;
  /** Called when the place of the entry is known: before its first byte if all lengths are known, or else behind its last. */
  readonly onPlaced?: ((placed: PlacedEntry) => void) | undefined;
}

export interface Added {
  /** Rejects as the body of the entry. Then the sink fails with the same error. */
  readonly written: Promise<WrittenEntry>;
}

export interface Archive {
  /**
   * Adds one entry behind all before it. Resolves when its place in the archive is known, so that the next one can be added. A body
   * whose length is declared and that is not compressed may still be missing then.
   * @throws AppError SourceChanged if the parts that an earlier process has uploaded do not fit to the entries
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
  /** Most bytes that one reader of a large file reads at a time. Default at most 4 MiB. */
  readonly sliceBytes?: number;
}

const compress = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);

function digestOf(hash: Hash | undefined) {
  return hash ? { sha256: hash.digest('hex') } : {};
}

/** An entry whose header is written. */
interface Started {
  readonly head: EntryHead;
  /** Offset of its header in the archive. */
  readonly at: number;
}

function codingOf(
  { declaredLength, crc32: crc }: Pick<ArchiveEntry, 'declaredLength' | 'crc32'>,
  deflate: boolean,
): Coding {
  if (deflate) return 'deflate';
  return declaredLength !== undefined && crc !== undefined ? 'none' : 'blocks';
}

/** Long enough that a request costs little, and short enough that the parts of the upload do not all end at once. */
const MOST_SLICE_BYTES = 4 * 1024 * 1024;
/**
 * A slow file takes as long as one of its slices, so those of a file of few slices are shorter. More of them would take connections
 * from other files.
 */
const MORE_SLICES = 2;

/** Bytes of a slice of a file with several readers. */
function sliceBytesOf(codedBytes: number): number {
  return Math.ceil(codedBytes / (Math.floor(codedBytes / MOST_SLICE_BYTES) + MORE_SLICES));
}

class ZipWriter implements Archive {
  readonly #options: ArchiveOptions;
  readonly #sink: ArchiveSink;
  readonly #output: ArchiveOutput;
  readonly #compression: Compression;
  readonly #directory = createRecordList();
  /** Resolves when all entries so far are in the directory, in the order of the calls. */
  #recorded: Promise<void> = Promise.resolve();

  constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#sink = options.sink;
    this.#output = new ArchiveOutput(options.sink);
    this.#compression = options.compression;
  }

  async add(entry: ArchiveEntry, signal?: AbortSignal): Promise<Added> {
    const { started, written } = await this.#addAny(entry, signal);
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
    const offset = this.#output.offset;
    for (const block of this.#directory.blocks()) await this.#output.write(block);
    await this.#output.write(endRecords({ entries: count, offset, size }));
    return { entries: count, bytes: this.#output.offset };
  }

  async #start(head: EntryHead, sizes: EntrySizes, isAgain = false): Promise<Started> {
    const at = this.#output.offset;
    await this.#output.write(localHeader(head, sizes), { isAgain });
    return { head, at };
  }

  #startHash(entry: ArchiveEntry): Hash | undefined {
    return this.#options.sha256 === true || entry.sha256 === true ? createHash('sha256') : undefined;
  }

  #addAny(entry: ArchiveEntry, signal: AbortSignal | undefined): Promise<AddedEntry> {
    const { continues, small } = entry;
    if (continues) return this.#continue(entry, continues);
    return small ? this.#addSmall(entry, small) : this.#addStreamed(entry, signal);
  }

  async #continue(entry: ArchiveEntry, file: ContinuedFile): Promise<AddedEntry> {
    const record = file.record.entry;
    if (!record) throw new TypeError('the file has no entry');
    this.#output.assertAt(file.at);
    assertComplete(file, { sha256: this.#options.sha256 === true, sha256Stated: entry.sha256 === true });
    const asRecorded = { ...entry, modified: ofSecondsSince1980(record.time) };
    if (file.kind === 'repeated') return this.#addSmall(asRecorded, file.body, record);
    if (file.kind === 'ranges') return this.#continuePlaced(asRecorded, record);
    const started = { head: headOf(entry.name, record), at: this.#output.offset };
    const written = writtenOf(record);
    entry.onPlaced?.(placedAs(record));
    this.#output.skip(record.bytes);
    return { started, written: Promise.resolve(written) };
  }

  async #addSmall(entry: ArchiveEntry, body: Uint8Array, record?: EntryRecord): Promise<AddedEntry> {
    const deflated = isCompressible(this.#compression, entry.name, body)
      ? await compress(body, { level: DEFLATE_LEVEL })
      : undefined;
    const data = deflated && deflated.length < body.length ? deflated : body;
    const { modified } = entry;
    const head: EntryHead = {
      name: Buffer.from(entry.name),
      method: data === body ? STORED : DEFLATED,
      streamed: false,
      zip64: false,
      time: toZipTime(modified),
    };
    const sizes = { crc: crc32(body), compressedSize: data.length, size: body.length };
    const isAgain = record !== undefined;
    if (isAgain) assertRepeated(record, head, sizes);
    entry.onPlaced?.(placedOf({ form: 'whole', head, sizes, modified }));
    const started = await this.#start(head, sizes, isAgain);
    await this.#output.write(data, { isAgain });
    const written = { ...sizes, ...digestOf(this.#startHash(entry)?.update(body)) };
    return { started, written: Promise.resolve(written) };
  }

  /** Whether the entry may need 64-bit sizes. */
  #needsZip64(declaredLength: number | undefined, coding: Coding): boolean {
    if (declaredLength === undefined) return this.#options.zip64ForUnknownLength === true;
    return codedBound(declaredLength, coding) >= ZIP64_FROM;
  }

  #headOf({ name, declaredLength, modified }: ArchiveEntry, coding: Coding): EntryHead {
    const isExact = coding === 'none';
    return {
      name: Buffer.from(name),
      method: isExact ? STORED : DEFLATED,
      streamed: !isExact,
      zip64: this.#needsZip64(declaredLength, coding),
      time: toZipTime(modified),
    };
  }

  async #addStreamed(entry: ArchiveEntry, signal: AbortSignal | undefined): Promise<AddedEntry> {
    const probed = needsProbe(this.#compression, entry.name)
      ? await readHead(entry.body, PROBE_BYTES)
      : { head: new Uint8Array(0), body: entry.body };
    const { declaredLength, crc32: crc } = entry;
    const coding = codingOf(entry, isCompressible(this.#compression, entry.name, probed.head));
    const head = this.#headOf(entry, coding);
    const hash = this.#startHash(entry);
    if (coding !== 'deflate' && declaredLength !== undefined)
      return this.#addPlaced(entry, probed.body, {
        head,
        crc,
        stored: new StoredData(declaredLength, { framing: coding, hash }),
        hash,
      });
    const started = await this.#start(head, NO_SIZES);
    const limit = head.zip64 ? Number.MAX_SAFE_INTEGER : ZIP64_FROM - 1;
    const measured = measure(entry, probed.body, { hash, limit });
    // Nothing can be added behind it before its length is known.
    const sizes = await this.#encode(measured, { deflate: coding === 'deflate', signal }, started);
    entry.onPlaced?.(placedOf({ form: 'encoded', head, sizes, modified: entry.modified }));
    return { started, written: Promise.resolve({ ...sizes, ...digestOf(hash) }) };
  }

  async #continuePlaced(entry: ArchiveEntry, record: EntryRecord): Promise<AddedEntry> {
    const { size, crc, segments: recorded } = record;
    if (entry.declaredLength !== size) throw layoutChanged();
    const head = headOf(entry.name, record);
    const stored = new StoredData(size, { framing: head.streamed ? 'blocks' : 'none', recorded });
    const known = crc === undefined ? undefined : writtenOf(record);
    return this.#addPlaced(entry, entry.body, {
      head,
      crc: crcIn(record),
      stored,
      known,
      isAgain: true,
    });
  }

  /** Adds an entry whose length is known: its place is reserved, while the data is poured into it. */
  async #addPlaced(
    entry: ArchiveEntry,
    body: AsyncIterable<Uint8Array>,
    { head, crc = 0, stored, hash, known, isAgain = false }: Placing,
  ): Promise<AddedEntry> {
    const { modified } = entry;
    const sizes = { crc, compressedSize: stored.codedBytes, size: stored.length };
    const placed = placedOf({ form: 'placed', head, sizes, modified });
    // Otherwise this would be found when most of the file is read.
    if (!isAgain) this.#output.assertFits(placed.bytes);
    entry.onPlaced?.({ ...placed, segments: () => stored.segments() });
    const started = await this.#start(head, sizes, isAgain);
    const poured = this.#pour(entry, body, stored);
    // It must not stay unhandled while this waits for a buffer.
    poured.catch((error: unknown) => this.#sink.fail(toError(error)));
    await this.#plan(stored, { entry, isAgain });
    const descriptor = await this.#output.reserveAll(descriptorBytes(head), isAgain);
    async function finish(): Promise<WrittenEntry> {
      await poured;
      const written = known ?? { ...sizes, crc: stored.wholeCrc(), ...digestOf(hash) };
      fill(descriptor, dataDescriptor(head, written));
      return written;
    }
    return { started, written: finish() };
  }

  async #plan(stored: StoredData, { entry, isAgain }: Planning): Promise<void> {
    const { sliceBytes = entry.fill ? sliceBytesOf(stored.codedBytes) : MOST_SLICE_BYTES } = this.#options;
    while (stored.unplanned > 0) {
      const kept = isAgain ? this.#output.skipUpTo(stored.unplanned) : undefined;
      if (kept) stored.skip(kept.bytes, kept.part);
      else stored.plan(await this.#output.reserve(Math.min(stored.unplanned, sliceBytes)));
    }
  }

  /** Writes an entry whose place ends with its last byte. */
  async #encode(measured: Measured, { deflate, signal }: Encoding, { head }: Started): Promise<EntrySizes> {
    const options = { sink: this.#sink, signal };
    const encode = deflate ? encodeDeflated : encodeUnknownLength;
    const compressedSize = await encode(measured.body, options);
    this.#output.wrote(compressedSize);
    if (!head.zip64 && compressedSize >= ZIP64_FROM) throw tooLarge(head.name.toString());
    const sizes = { crc: measured.crc, compressedSize, size: measured.size };
    await this.#output.write(dataDescriptor(head, sizes));
    return sizes;
  }

  async #pour(entry: ArchiveEntry, body: AsyncIterable<Uint8Array>, stored: StoredData): Promise<void> {
    if (entry.fill) return entry.fill(stored, body);
    for await (const chunk of ofDeclaredLength(entry, body)) await stored.write(chunk);
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

interface Placing {
  readonly head: EntryHead;
  /** CRC-32 of the body for its local header, if that has it. */
  readonly crc?: number | undefined;
  readonly stored: StoredData;
  readonly hash?: Hash | undefined;
  /** All of its bytes were there before, although some are missing now. */
  readonly known?: WrittenEntry | undefined;
  /** An earlier process has written it. */
  readonly isAgain?: boolean;
}

interface Planning {
  readonly entry: ArchiveEntry;
  readonly isAgain: boolean;
}

interface AddedEntry extends Added {
  readonly started: Started;
}

interface Encoding {
  readonly deflate: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Creates a writer whose archive starts at the next byte of the sink. */
export function createArchive(options: ArchiveOptions): Archive {
  return new ZipWriter(options);
}
