/** The CRC-32 of the data of one entry in each part, from slices that are filled in any order. */
import { combineCrc32 } from '../crc32-combine.ts';
import type { EntrySegment } from '../resume/types.ts';

/** The data of the entry in one part. Positions are those in the source. */
export interface Segment {
  readonly part: number;
  readonly from: number;
  /** The position behind it. */
  readonly to: number;
  /** Of the bytes that are there. Those that are missing count as zero. */
  crc: number;
  /** Bytes that are not there. */
  missing: number;
}

interface Filled {
  readonly from: number;
  readonly to: number;
  readonly crc: number;
}

export class EntrySegments {
  readonly #segments: Segment[] = [];
  /** CRC-32 by part, of an earlier process. */
  readonly #recorded: ReadonlyMap<number, number>;

  constructor(recorded: readonly EntrySegment[]) {
    this.#recorded = new Map(recorded.map(({ part, crc }) => [part, crc]));
  }

  /** The segment of a part, if it is the last one so far. */
  last(part: number): Segment | undefined {
    const last = this.#segments.at(-1);
    return last?.part === part ? last : undefined;
  }

  /** Adds all data of the entry in one part, which is behind those before. */
  add(part: number, from: number, to: number): Segment {
    const segment = { part, from, to, crc: 0, missing: to - from };
    this.#segments.push(segment);
    return segment;
  }

  fill(segment: Segment, { from, to, crc }: Filled): void {
    // CRC-32 is linear: the sum of all slices, each moved to its place, is that of the segment.
    segment.crc = (segment.crc ^ combineCrc32(crc, 0, segment.to - to)) >>> 0;
    segment.missing -= to - from;
  }

  /** Adds data that an earlier process has uploaded. Returns its CRC-32; undefined if that was not recorded. */
  addRecorded(part: number, from: number, to: number): number | undefined {
    const crc = this.#recorded.get(part);
    if (crc !== undefined) this.fill(this.add(part, from, to), { from, to, crc });
    return crc;
  }

  /** Those of which every byte is there, and those of the earlier process in parts that are not reached yet. */
  whole(): readonly EntrySegment[] {
    const reached = this.#segments.at(-1)?.part ?? 0;
    const own = this.#segments.filter(({ from, to, missing }) => missing === 0 && to > from);
    const further = [...this.#recorded].filter(([part]) => part > reached);
    return [...own.map(({ part, crc }) => ({ part, crc })), ...further.map(([part, crc]) => ({ part, crc }))];
  }
}
