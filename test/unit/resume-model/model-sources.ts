/** The files of a job at their sources, which may change, and the archive that they make: a text instead of bytes. */
import type { Random } from '#test/support/random.ts';
import type { EntryForm } from '#zipper-image/resume/types.ts';

/** Units of a part. Entries and parts are not aligned. */
export const PART_UNITS = 4;
/** Units of the directory. */
export const DIRECTORY_UNITS = 2;

/** What a source has now. */
export interface Version {
  /** Stands for its bytes. */
  readonly content: number;
  /** Of the entry. */
  readonly units: number;
  /** Strong validator. */
  readonly validator: string;
}

export interface ModelSource {
  readonly form: EntryForm;
  readonly canRange: boolean;
  version: Version;
}

/** A file in an archive. */
export interface Written {
  readonly content: number;
  readonly units: number;
}

/** One unit of a file. */
export function unitOf(file: number, { content }: Written, offset: number): string {
  return `${file}.${content}@${offset};`;
}

/** The text of one unit of the directory. */
export function directoryOf(files: readonly Written[], unit: number): string {
  const entries = files.map(({ content, units }) => `${content}:${units}`).join(',');
  return `D${unit}[${entries}];`;
}

export function archiveOf(files: readonly Written[]): string {
  const entries = files.map((file, index) =>
    Array.from({ length: file.units }, (_, offset) => unitOf(index, file, offset)).join(''),
  );
  const directory = Array.from({ length: DIRECTORY_UNITS }, (_, unit) => directoryOf(files, unit));
  return [...entries, ...directory].join('');
}

/** What is wrong with a published archive. Undefined: every entry is one version of its source, in one layout. */
export function faultOf(text: string, sources: ModelSources): string | undefined {
  const listed = /D0\[([^\]]*)\]/.exec(text)?.[1];
  if (listed === undefined) return 'no directory';
  const files = listed.split(',').map((entry) => {
    const [content = 0, units = 0] = entry.split(':').map(Number);
    return { content, units };
  });
  if (text !== archiveOf(files)) return `not one whole archive: ${text}`;
  const unknown = files.findIndex(({ content }, file) => !sources.had(file, content));
  if (files.length !== sources.files.length || unknown >= 0)
    return `an entry that no source ever had: ${text}`;
  return undefined;
}

export class ModelSources {
  readonly files: readonly ModelSource[];
  /** Each URL works only once. */
  readonly areSingleUse: boolean;
  readonly #random: Random;
  readonly #contents: Set<number>[];
  #contentIds = 0;
  /** A source has changed since the start. */
  hasChanged = false;

  constructor(random: Random) {
    this.#random = random;
    this.areSingleUse = random.next() < 0.05;
    this.files = Array.from({ length: random.int(4, 7) }, () => {
      const form = random.pick(['whole', 'placed', 'placed', 'encoded'] as const);
      const units = form === 'whole' ? random.int(1, 2) : random.int(3, 14);
      return { form, canRange: random.next() < 0.7, version: this.#next(units) };
    });
    this.#contents = this.files.map(({ version }) => new Set([version.content]));
  }

  had(file: number, content: number): boolean {
    return this.#contents[file]?.has(content) === true;
  }

  change(): void {
    const file = this.#random.int(0, this.files.length - 1);
    const source = this.files[file];
    if (!source) return;
    const isLonger = this.#random.next() < 0.3 && source.form !== 'whole';
    source.version = this.#next(source.version.units + (isLonger ? 1 : 0));
    // Touched: another validator of the same bytes.
    this.#contents[file]?.add(source.version.content);
    this.hasChanged = true;
  }

  #next(units: number): Version {
    this.#contentIds += 1;
    return { content: this.#contentIds, units, validator: `"v${this.#contentIds}"` };
  }
}
