/**
 * Decides which parts of an earlier pod are kept, so that no file mixes two versions of its source.
 *
 * A file whose parts are all kept is not requested again, and one of which none is kept is fetched as a new one. A boundary file has
 * both: what is missing must be of the version whose bytes are kept. Its source is asked; if it does not confirm that, none of its parts
 * is kept, which can make files next to it boundary files.
 */
import type { ResumeRefusal } from '#crds/zip-job.ts';
import { DEFLATED } from '../archive/zip-records.ts';
import { createPartMap, type FilePlace, type PartMap } from './part-map.ts';
import type { ContinuedFile, EntryRecord, FileRecord, Records } from './types.ts';

/** What a source says about a recorded version. `resized`: it has another length now, or its file would be left out. */
export type Recognized<Same> = Same | 'changed' | 'resized';

/** Asks the source of a boundary file. Both reject if the source cannot be reached now. */
export interface BoundaryProbe {
  /** Fetches the whole body, which is small. */
  repeat(index: number, record: FileRecord): Promise<Recognized<Uint8Array>>;
  /** Asks for a range of the recorded version. */
  confirm(index: number, record: FileRecord): Promise<Recognized<'same'>>;
}

export interface ResolveDeps {
  readonly probe: BoundaryProbe;
  /** Bytes of a part, by its number. */
  readonly partBytes: (number: number) => number;
  /** Whether a manifest has the SHA-256 of every file. */
  readonly needsSha256: boolean;
  /** Whether the SHA-256 of the file must be compared when all of its bytes are there. */
  readonly statesSha256: (index: number) => boolean;
  /** Whether the file may be requested once only. */
  readonly isSingleUse: (index: number) => boolean;
  /** Whether another version of a `placed` file may change between exact sizes in its header and stored blocks. */
  readonly mayChangeForm: (index: number) => boolean;
  /** The entry that replaces a file that was left out. */
  readonly placeholderOf: (index: number, failure: NonNullable<FileRecord['failure']>) => Uint8Array;
}

export interface Resolved {
  /** Numbers of the parts that are not made again. */
  readonly kept: ReadonlySet<number>;
  /** By index. A file that is not among them is fetched as a new one. */
  readonly files: ReadonlyMap<number, ContinuedFile>;
}

/** Why the upload cannot be continued. */
export class RefusedError extends Error {
  readonly refusal: ResumeRefusal;

  constructor(refusal: ResumeRefusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

/** Most bodies that are fetched again, which stay in memory. The parts of further boundary files are made again. */
const MOST_REPEATED = 64;

type Reply =
  | { readonly kind: 'repeated'; readonly body: Uint8Array }
  | { readonly kind: 'ranges' }
  | { readonly kind: 'refused' };

class Resolution {
  readonly #map: PartMap;
  readonly #deps: ResolveDeps;
  readonly #kept: Set<number>;
  /** By index. */
  readonly #replies = new Map<number, Reply>();
  /** Files that have lost a part since they were checked. */
  readonly #unchecked: Set<FilePlace>;
  #repeated = 0;

  constructor(records: Records, candidates: ReadonlySet<number>, deps: ResolveDeps) {
    this.#map = createPartMap(records.files, deps.partBytes);
    this.#deps = deps;
    const { parts, end } = this.#map;
    this.#kept = new Set(
      parts.flatMap(({ number, to }) => (to <= end && candidates.has(number) ? [number] : [])),
    );
    this.#unchecked = new Set(this.#map.files);
  }

  async run(): Promise<Resolved> {
    for (;;) {
      const asked = this.#check();
      if (asked.length === 0) break;
      await Promise.all(asked.map((file) => this.#ask(file)));
      for (const file of asked) this.#unchecked.add(file);
    }
    const files = this.#map.files.flatMap((file): readonly [number, ContinuedFile][] => {
      const continued = this.#continued(file);
      return continued ? [[file.index, continued]] : [];
    });
    return { kept: this.#kept, files: new Map(files) };
  }

  /** Gives up what needs no question. Returns the boundary files whose sources must be asked. */
  #check(): readonly FilePlace[] {
    const asked = new Set<FilePlace>();
    // Also iterates over files that are added meanwhile.
    for (const file of this.#unchecked) {
      this.#unchecked.delete(file);
      asked.delete(file);
      if (this.#lookAt(file) === 'ask') asked.add(file);
    }
    const small = [...asked].filter(({ record }) => record.entry?.form === 'whole');
    const room = MOST_REPEATED - this.#repeated;
    for (const { index } of small.slice(room)) this.#replies.set(index, { kind: 'refused' });
    this.#repeated += Math.min(room, small.length);
    return [...asked];
  }

  #lookAt(file: FilePlace): 'ask' | 'known' {
    const { entry, failure } = file.record;
    if (!entry || failure) return 'known';
    const share = this.#shareOf(file);
    if (share === 'some') return this.#lookAtBoundary(file, entry);
    if (share === 'all' && !isKnown(entry, this.#deps.needsSha256)) this.#drop(file);
    return 'known';
  }

  #lookAtBoundary(file: FilePlace, entry: EntryRecord): 'ask' | 'known' {
    if (this.#deps.isSingleUse(file.index)) throw new RefusedError('SingleUse');
    const reply = this.#replies.get(file.index);
    if (reply?.kind === 'repeated') return 'known';
    const isUsable = reply ? reply.kind === 'ranges' : this.#mayAsk(file);
    if (!isUsable) this.#drop(file);
    else if (this.#dropUnknown(file, entry)) return this.#lookAt(file);
    else if (!reply) return 'ask';
    return 'known';
  }

  #mayAsk({ index, record }: FilePlace): boolean {
    const { entry, validator } = record;
    if (!entry || entry.form === 'encoded') return false;
    if (entry.form === 'whole') return entry.crc !== undefined;
    const { needsSha256, statesSha256 } = this.#deps;
    const needsBytes = entry.crc === undefined && (needsSha256 || statesSha256(index));
    if (validator === undefined || entry.size === 0 || needsBytes) return false;
    return !needsSha256 || entry.sha256 !== undefined;
  }

  /** Without the CRC of all bytes, that of a kept part must be known. True if a part is no longer kept. */
  #dropUnknown(file: FilePlace, { form, crc, segments = [] }: EntryRecord): boolean {
    if (form !== 'placed' || crc !== undefined) return false;
    const known = new Set(segments.map(({ part }) => part));
    const unknown = this.#map
      .partsOf(file)
      .filter(({ number }) => this.#kept.has(number) && !known.has(number));
    for (const { number } of unknown) this.#dropPart(number);
    return unknown.length > 0;
  }

  async #ask(file: FilePlace): Promise<void> {
    const { index, record } = file;
    if (this.#replies.has(index)) return;
    const { probe } = this.#deps;
    const isWhole = record.entry?.form === 'whole';
    const reply = await (isWhole ? probe.repeat(index, record) : probe.confirm(index, record));
    if (reply === 'same') this.#replies.set(index, { kind: 'ranges' });
    else if (reply === 'changed' || reply === 'resized') this.#refuse(file, reply);
    else this.#replies.set(index, { kind: 'repeated', body: reply });
  }

  #refuse(file: FilePlace, reply: 'changed' | 'resized'): void {
    const mayMove = reply === 'resized' || this.#mayTakeOtherLength(file);
    if (mayMove && this.#keepsBehind(file)) throw new RefusedError('LayoutChanged');
    this.#replies.set(file.index, { kind: 'refused' });
  }

  /** Other bytes can be compressed to another length, and with or without a known CRC-32, a file is stored in another form. */
  #mayTakeOtherLength({ index, record: { entry } }: FilePlace): boolean {
    if (entry?.form === 'placed') return this.#deps.mayChangeForm(index);
    return entry?.form === 'whole' && entry.method === DEFLATED;
  }

  /** Whether a part is kept that has no byte of the file and is behind it. */
  #keepsBehind({ to }: FilePlace): boolean {
    return this.#map.parts.some(({ number, from }) => from >= to && this.#kept.has(number));
  }

  #shareOf(file: FilePlace): 'all' | 'some' | 'none' {
    const parts = this.#map.partsOf(file);
    const kept = parts.filter(({ number }) => this.#kept.has(number)).length;
    if (kept === 0) return 'none';
    return kept === parts.length ? 'all' : 'some';
  }

  #drop(file: FilePlace): void {
    for (const { number } of this.#map.partsOf(file)) this.#dropPart(number);
  }

  #dropPart(number: number): void {
    const part = this.#map.parts[number - 1];
    if (!part || !this.#kept.delete(number)) return;
    for (const file of this.#map.filesOf(part)) this.#unchecked.add(file);
  }

  #continued(file: FilePlace): ContinuedFile | undefined {
    const { index, record, from: at } = file;
    const share = this.#shareOf(file);
    if (record.failure) return this.#leftOut(file, record.failure, share);
    if (share === 'none') return undefined;
    const of = { record, at };
    if (share === 'all') return { kind: 'kept', ...of };
    const reply = this.#replies.get(index);
    if (reply?.kind === 'repeated') return { ...reply, ...of };
    if (reply?.kind !== 'ranges') throw new Error(`file ${index} has kept parts, and nothing is known of it`);
    return { kind: 'ranges', ...of, keptBytes: this.#keptBytes(file) };
  }

  /** What was left out in front of a part that is kept stays so. Its placeholder needs no source. */
  #leftOut(
    { index, record, from: at, to }: FilePlace,
    failure: NonNullable<FileRecord['failure']>,
    share: 'all' | 'some' | 'none',
  ): ContinuedFile | undefined {
    const isFinal = share !== 'none' || this.#keepsBehind({ index, record, from: at, to });
    if (!isFinal) return undefined;
    if (!record.entry || share === 'all') return { kind: 'kept', record, at };
    return { kind: 'repeated', record, at, body: this.#deps.placeholderOf(index, failure) };
  }

  #keptBytes(file: FilePlace): number {
    return this.#map
      .partsOf(file)
      .filter(({ number }) => this.#kept.has(number))
      .reduce((sum, { from, to }) => sum + Math.min(to, file.to) - Math.max(from, file.from), 0);
  }
}

/** Whether its record in the directory and in a manifest can be written without its bytes. */
function isKnown({ crc, sha256 }: EntryRecord, needsSha256: boolean): boolean {
  return crc !== undefined && (!needsSha256 || sha256 !== undefined);
}

/**
 * `candidates`: numbers of the parts that the store has as recorded. Those with a byte behind the records are not kept.
 * @throws RefusedError, or as the probe
 */
export function resolveParts(
  records: Records,
  candidates: ReadonlySet<number>,
  deps: ResolveDeps,
): Promise<Resolved> {
  return new Resolution(records, candidates, deps).run();
}
