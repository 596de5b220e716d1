/** The simplest decision about what is kept of a snapshot, to compare with. */

import type { Random } from '#test/support/random.ts';
import { STORED } from '#zipper-image/archive/zip-records.ts';
import type { ContinuedFile, EntryRecord, FileRecord } from '#zipper-image/resume/types.ts';
import type { Continued, ContinuedJob, Snapshot, Versions } from './continued-job.ts';

/** A part, and its place in the archive. */
interface Span {
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

export interface Situation {
  readonly snapshot: Snapshot;
  /** What the sources have now. */
  readonly current: Versions;
  readonly random: Random;
}

class PlainResolve {
  readonly #job: ContinuedJob;
  readonly #snapshot: Snapshot;
  /** Offset of each file, and of the byte behind the last one. */
  readonly #starts: number[] = [0];
  readonly #spans: Span[] = [];
  readonly #kept: Set<number>;
  /** Files whose sources have another version now, or do not say. */
  readonly #changed: ReadonlySet<number>;

  constructor(job: ContinuedJob, { snapshot, current, random }: Situation) {
    this.#job = job;
    this.#snapshot = snapshot;
    const { records, confirmed, versions } = snapshot;
    for (const { entry } of records) this.#starts.push((this.#starts.at(-1) ?? 0) + (entry?.bytes ?? 0));
    const end = this.#starts.at(-1) ?? 0;
    for (let from = 0, number = 1; from < end; from = this.#spans.at(-1)?.to ?? end, number += 1)
      this.#spans.push({ number, from, to: from + job.partBytes(number) });
    const share = random.pick([1, 1, 0.9, 0.5, 0.1]);
    const candidates = this.#spans.filter(({ number, to }) => to <= end && confirmed.has(number));
    this.#kept = new Set(candidates.filter(() => random.next() < share).map(({ number }) => number));
    this.#changed = new Set(
      records.keys().filter((index) => versions[index] !== current[index] || random.int(0, 9) === 0),
    );
  }

  resolve(): Continued {
    const { records, confirmed } = this.#snapshot;
    let before: number;
    do {
      before = this.#kept.size;
      for (const [index, record] of records.entries()) this.#drop(index, record);
    } while (this.#kept.size < before);
    const files = new Map<number, ContinuedFile>();
    for (const [index, record] of records.entries()) {
      const file = this.#continuedOf(index, record);
      if (file) files.set(index, file);
    }
    return { files, records, kept: new Map([...confirmed].filter(([number]) => this.#kept.has(number))) };
  }

  /** The parts that have bytes of the file. */
  #partsOf(index: number): readonly Span[] {
    const [at = 0, end = 0] = this.#starts.slice(index, index + 2);
    return this.#spans.filter(({ from, to }) => from < end && to > at);
  }

  #isKept = ({ number }: Span): boolean => this.#kept.has(number);

  /** All sums of the content are known. */
  #hasSums({ crc, sha256 }: EntryRecord): boolean {
    return crc !== undefined && (!this.#job.needsSha256 || sha256 !== undefined);
  }

  #drop(index: number, record: FileRecord): void {
    if (!record.entry) return;
    const parts = this.#partsOf(index);
    if (parts.every(this.#isKept) && this.#hasSums(record.entry)) return;
    for (const part of parts) if (!this.#mayKeep(part, index, record.entry)) this.#kept.delete(part.number);
  }

  /** Of a file that also has parts that are made again. */
  #mayKeep(part: Span, index: number, entry: EntryRecord): boolean {
    const { form, crc } = entry;
    const isPlaceholder = this.#snapshot.records[index]?.failure !== undefined;
    if (this.#changed.has(index) && !isPlaceholder) return false;
    if (form === 'whole') return crc !== undefined;
    if (form === 'encoded') return false;
    if (this.#hasSums(entry)) return true;
    if (this.#job.needsSha256 || this.#job.statesSha256(index) || crc !== undefined) return false;
    return this.#hasSegment(part, index, entry);
  }

  #hasSegment({ number, from, to }: Span, index: number, entry: EntryRecord): boolean {
    const descriptorBytes = entry.method === STORED ? 0 : 16;
    const dataEnd = (this.#starts[index + 1] ?? 0) - descriptorBytes;
    const isOutside = from >= dataEnd || to <= dataEnd - entry.compressedSize;
    return isOutside || (entry.segments ?? []).some(({ part }) => part === number);
  }

  #continuedOf(index: number, record: FileRecord): ContinuedFile | undefined {
    const at = this.#starts[index] ?? 0;
    const { entry } = record;
    const parts = this.#partsOf(index);
    if (!entry || (parts.every(this.#isKept) && this.#hasSums(entry))) return { kind: 'kept', record, at };
    if (!parts.some(this.#isKept)) return undefined;
    if (entry.form === 'placed') return { kind: 'ranges', record, at, keptBytes: 0 };
    return { kind: 'repeated', record, at, body: this.#job.bodyOf(index, record, this.#snapshot.versions) };
  }
}

/** Keeps a random subset of the confirmed parts, as far as the records and the sources permit it. */
export function resolvePlainly(job: ContinuedJob, situation: Situation): Continued {
  return new PlainResolve(job, situation).resolve();
}
