/** Runs a generated job in memory, takes snapshots at any time, and continues it from one. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { manifestFiles } from '#crds/manifest-files.ts';
import { defined } from '#runtime/collections/optional.ts';
import { createLogger } from '#runtime/log/log.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import type { Random } from '#test/support/random.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';
import { planEntryNames } from '#zipper-image/archive/entry-names.ts';
import { createRecordedFiles } from '#zipper-image/archive/recorded-files.ts';
import { placeholderOf, writeEntries } from '#zipper-image/archive/write-entries.ts';
import type { FillSlices, OpenSlice, SliceTarget } from '#zipper-image/byte-sink.ts';
import type { ContinuedFile, FileRecord } from '#zipper-image/resume/types.ts';
import { createKnownSources } from '#zipper-image/sources/known-sources.ts';
import { SourceError } from '#zipper-image/sources/source-error.ts';
import type { SourceEntry } from '#zipper-image/sources/types.ts';
import type { PartDigests } from '#zipper-image/store/part.ts';
import { createPartWriter, type PartWriter } from '#zipper-image/store/part-writer.ts';
import type { GeneratedFile, GeneratedJob } from './generate-job.ts';

const log = createLogger('test', { level: 'silent' });
const TEXT = Buffer.from('the quick brown fox jumps over the lazy dog; '.repeat(120_000));

/** One version of a source. */
export interface Version {
  readonly bytes: number;
  readonly seed: number;
}

/** That of each source. */
export type Versions = readonly Version[];

export interface Snapshot {
  /** What the files of the records have. */
  readonly versions: Versions;
  readonly records: readonly FileRecord[];
  readonly confirmed: ReadonlyMap<number, Buffer>;
}

/** What a later run takes over. */
export interface Continued {
  readonly files: ReadonlyMap<number, ContinuedFile>;
  readonly records: readonly FileRecord[];
  readonly kept: ReadonlyMap<number, Buffer>;
}

export const NOTHING: Continued = { files: new Map(), records: [], kept: new Map() };

export interface Done {
  readonly parts: ReadonlyMap<number, Buffer>;
  readonly snapshots: readonly Snapshot[];
  readonly result: unknown;
  /** Indexes of the files whose bytes were read. */
  readonly read: ReadonlySet<number>;
}

function contentOf({ isText }: GeneratedFile, { bytes, seed }: Version): Buffer {
  return isText ? TEXT.subarray(seed % 1000, (seed % 1000) + bytes) : generatedBytes(bytes, seed);
}

export class ContinuedJob {
  readonly #job: GeneratedJob;
  readonly #random: Random;
  /** Of the current run. */
  #versions: Versions;
  /** Bodies of at most this many bytes are passed on whole. */
  readonly #smallBytes: number;

  constructor(job: GeneratedJob, random: Random) {
    this.#job = job;
    this.#random = random;
    this.#versions = job.files;
    this.#smallBytes = random.pick([100, 5000, 65_540, 1_048_576]);
  }

  readonly partBytes = (number: number): number => {
    const { partSizeBytes, blocksPerPart } = this.#job;
    return number > 2 ? partSizeBytes : Math.ceil(partSizeBytes / blocksPerPart);
  };

  get needsSha256(): boolean {
    return manifestFiles(this.#job.task).length > 0;
  }

  statesSha256(index: number): boolean {
    return this.#job.files[index]?.stated === 'sha256';
  }

  /** What a small file or its placeholder has in the version that was recorded. */
  bodyOf(index: number, { failure }: FileRecord, versions: Versions): Buffer {
    if (failure) return placeholderOf(failureOf(index));
    return this.#contentOf(index, versions);
  }

  /** Other versions of some sources, mostly of the same length. */
  changed(versions: Versions): Versions {
    return versions.map((version, index) => {
      if (this.#job.files[index]?.stated !== 'nothing' || this.#random.int(0, 4) > 0) return version;
      const bytes = this.#random.int(0, 9) === 0 ? version.bytes + 1 : version.bytes;
      return { bytes, seed: version.seed + 1 };
    });
  }

  /** `snapshots`: after so many events, each of which is a chunk of a source or a confirmed part. */
  async run(continued: Continued, snapshots: readonly number[], versions: Versions): Promise<Done> {
    const job = this.#job;
    this.#versions = versions;
    const parts = new Map<number, Buffer>();
    const taken: Snapshot[] = [];
    const read = new Set<number>();
    let events = 0;
    const recorded = createRecordedFiles({
      sha256: this.needsSha256,
      leastPartBytes: 1000,
      earlier: continued,
    });
    function onEvent(): void {
      events += 1;
      if (!snapshots.includes(events)) return;
      taken.push({
        versions,
        records: recorded.records(),
        confirmed: new Map([...continued.kept, ...parts]),
      });
    }
    const sink = this.#partWriter(continued, (number, bytes) => {
      parts.set(number, bytes);
      onEvent();
    });
    const archive = createArchive({
      sink,
      compression: job.task.compression,
      sha256: this.needsSha256,
      sliceBytes: job.sliceBytes,
    });
    const { manifestFormat, manifestEntry } = job.task;
    const task = { ...job.task, key: 'some/archive.zip', defaultModificationTime: '2026-01-02T03:04:05Z' };
    const fail = new AbortController();
    const result = await writeEntries({
      task: task as Parameters<typeof writeEntries>[0]['task'],
      names: planEntryNames(
        job.files.map(({ filename }, index) => ({ filename, url: `data:,${index}` })),
        { key: task.key, portableNames: 'keep', ...defined({ manifestFormat, manifestEntry }) },
      ),
      archive,
      sources: {
        entries: () => this.#entries(continued, { read, onEvent }),
        bytesRead: 0,
        retries: 0,
        known: createKnownSources(),
        checkOthers: async () => undefined,
      },
      progress: { startFile: () => undefined, finishFile: () => undefined },
      log,
      assertFits: () => undefined,
      signal: fail.signal,
      recorded,
      onFailure: (error) => fail.abort(error),
    });
    await archive.finish();
    await sink.finish();
    return { parts: new Map([...continued.kept, ...parts]), snapshots: taken, result, read };
  }

  #partWriter({ kept }: Continued, onSent: (number: number, bytes: Buffer) => void): PartWriter {
    const { partSizeBytes, blocksPerPart, partsInFlight, md5 } = this.#job;
    const blockBytes = Math.ceil(partSizeBytes / blocksPerPart);
    return createPartWriter({
      partBytes: this.partBytes,
      blockBytes,
      poolBytes: (partsInFlight + 1) * blocksPerPart * blockBytes,
      checksum: md5 ? 'md5' : 'crc32',
      kept: new Map([...kept].map(([number, { length: bytes }]) => [number, { bytes }])),
      send: async ({ number, body, digests }) => {
        const bytes = Buffer.concat(body);
        assertDigest(digests, bytes);
        for (let turns = this.#random.int(0, 6); turns > 0; turns -= 1) await setImmediate();
        onSent(number, bytes);
      },
    });
  }

  async *#entries({ files }: Continued, events: Events): AsyncGenerator<SourceEntry> {
    for (const [index, file] of this.#job.files.entries()) {
      const continues = files.get(index);
      yield continues
        ? { ...this.#continuedEntry(index, file, continues), ...this.#readersOf(index, file, events) }
        : { ...this.#newEntry(index, file), ...this.#readersOf(index, file, events) };
    }
  }

  #contentOf(index: number, versions: Versions = this.#versions): Buffer {
    const { files } = this.#job;
    const [file, version] = [files[index], versions[index]];
    return file && version ? contentOf(file, version) : Buffer.alloc(0);
  }

  #readersOf(index: number, { seed }: GeneratedFile, events: Events) {
    const content = this.#contentOf(index);
    return {
      body: this.#chunks(index, content, events),
      ...(seed % 2 === 0 && { fill: this.#fill(index, content, events) }),
    };
  }

  #newEntry(index: number, file: GeneratedFile): Omit<SourceEntry, 'body'> {
    const content = this.#contentOf(index);
    const { seed } = this.#versions[index] ?? file;
    const entry = { ...factsOf(file), index, filename: file.filename };
    if (file.isMissing)
      return { ...entry, declaredLength: undefined, small: undefined, failure: failureOf(index) };
    return {
      ...entry,
      lastModified: new Date(981_173_106_000 + 1000 * seed),
      declaredLength: file.declaresLength ? content.length : undefined,
      small: content.length <= this.#smallBytes ? content : undefined,
      stated: statedOf(file, content),
    };
  }

  #continuedEntry(index: number, file: GeneratedFile, continues: ContinuedFile): Omit<SourceEntry, 'body'> {
    const { record } = continues;
    return {
      ...factsOf(file),
      index,
      filename: file.filename,
      declaredLength: record.entry?.size,
      small: undefined,
      stated: statedOf(file, this.#contentOf(index)),
      continues,
      ...(record.failure && { failure: failureOf(index) }),
    };
  }

  async *#chunks(index: number, content: Buffer, { read, onEvent }: Events): AsyncGenerator<Uint8Array> {
    read.add(index);
    for (let at = 0; at < content.length; ) {
      const size = this.#random.int(1, 100_000);
      const chunk = Buffer.from(content.subarray(at, at + size));
      at += size;
      yield chunk;
      onEvent();
      // A chunk is valid only until the next one is requested.
      chunk.fill(0xee);
      if (size % 3 === 0) await setImmediate();
    }
  }

  /** Three readers at random places, of which each leaves slices to others now and then. */
  #fill(index: number, content: Buffer, events: Events): FillSlices {
    const readAll = async (target: SliceTarget): Promise<void> => {
      while (!target.isComplete) {
        const slice = this.#random.int(0, 1) === 0 ? target.take() : target.takeLast();
        if (!slice) await target.changed();
        else if (!(await this.#fillSlice(slice, content, events))) target.giveBack(slice);
      }
    };
    return async (target) => {
      events.read.add(index);
      await Promise.all([readAll(target), readAll(target), readAll(target)]);
    };
  }

  /** False if it was given up before it was full. */
  async #fillSlice(slice: OpenSlice, content: Buffer, { onEvent }: Events): Promise<boolean> {
    for (;;) {
      const to = Math.min(slice.to, slice.position + this.#random.int(1, 80_000));
      slice.write(content.subarray(slice.position, to), 0);
      onEvent();
      if (slice.isFull) return true;
      if (this.#random.int(0, 3) === 0) await setImmediate();
      if (this.#random.int(0, 5) === 0) return false;
    }
  }
}

function assertDigest(digests: PartDigests, bytes: Buffer): void {
  const isRight =
    digests.kind === 'crc32'
      ? digests.crc32 === crc32(bytes)
      : digests.md5.equals(createHash('md5').update(bytes).digest());
  if (!isRight) throw new Error('a part has another checksum than its bytes');
}

function factsOf({ declaresLength, seed, validator }: GeneratedFile) {
  return {
    lastModified: undefined,
    lengthUnverified: !declaresLength,
    contentEncoded: seed % 5 === 0,
    ...(validator !== 'none' && { validator: '"v"' }),
  };
}

function statedOf({ stated }: GeneratedFile, content: Buffer) {
  return {
    ...(stated === 'crc32' && { crc32: crc32(content).toString(16).padStart(8, '0') }),
    ...(stated === 'sha256' && { sha256: createHash('sha256').update(content).digest('hex') }),
  };
}

interface Events {
  readonly read: Set<number>;
  readonly onEvent: () => void;
}

function failureOf(index: number): SourceError {
  return new SourceError(
    { index },
    { code: 'SourceNotFound', text: 'missing', retryable: false, httpStatus: 404 },
  );
}
