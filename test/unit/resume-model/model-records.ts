/** What a pod of the model records of its files, in the form of the real records. */
import type { EntrySegment, FileRecord } from '#zipper-image/resume/types.ts';
import { type ModelSource, PART_UNITS, type Version, type Written } from './model-sources.ts';
import { UNIT_BYTES } from './model-store.ts';

interface Recorded {
  readonly source: ModelSource;
  readonly version: Version;
  /** Units in front of it. */
  readonly at: number;
  /** Units that were passed on. */
  written: number;
}

/** The parts of a file, with the first and last of its units in each. */
export function partsOf(
  at: number,
  units: number,
): readonly { readonly part: number; readonly to: number }[] {
  const first = Math.floor(at / PART_UNITS) + 1;
  const last = Math.floor((at + units - 1) / PART_UNITS) + 1;
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const part = first + index;
    return { part, to: Math.min(part * PART_UNITS - at, units) };
  });
}

/** The version of a file that its record is about. */
export function versionIn({ entry, validator = '' }: FileRecord): Version {
  const content = entry?.crc ?? entry?.segments?.[0]?.crc ?? 0;
  return { content, units: (entry?.bytes ?? 0) / UNIT_BYTES, validator };
}

export class ModelFiles {
  readonly #kept: ReadonlySet<number>;
  readonly #files: Recorded[] = [];
  #at = 0;

  constructor(kept: ReadonlySet<number>) {
    this.#kept = kept;
  }

  get written(): readonly Written[] {
    return this.#files.map(({ version }) => version);
  }

  start(source: ModelSource, version: Version): Recorded {
    const file = { source, version, at: this.#at, written: 0 };
    this.#files.push(file);
    this.#at += version.units;
    return file;
  }

  /** Of the first files whose place is known. A body without a declared length ends it with its last unit. */
  records(): readonly FileRecord[] {
    const open = this.#files.findIndex(
      ({ source, version, written }) => source.form === 'encoded' && written < version.units,
    );
    return (open < 0 ? this.#files : this.#files.slice(0, open)).map((file) => this.#recordOf(file));
  }

  #recordOf({ source, version, at, written }: Recorded): FileRecord {
    const { form } = source;
    const bytes = version.units * UNIT_BYTES;
    const isFinished = form === 'whole' || written === version.units;
    const known = isFinished ? { crc: version.content } : { segments: this.#segments(version, at, written) };
    return {
      entry: { form, method: 0, bytes, size: bytes, compressedSize: bytes, time: 0, ...known },
      lengthUnverified: false,
      contentEncoded: false,
      ...(form === 'placed' && source.canRange && { validator: version.validator }),
    };
  }

  #segments({ content, units }: Version, at: number, written: number): readonly EntrySegment[] {
    return partsOf(at, units)
      .filter(({ part, to }) => to <= written || this.#kept.has(part))
      .map(({ part }) => ({ part, crc: content }));
  }
}

export type { Recorded };
