/** The files of the job in their order, and the directory. */
import { AppError } from '#runtime/errors.ts';
import type { Continuation, ContinuedFile } from '#zipper-image/resume/types.ts';
import { ask } from './adopt.ts';
import { type ModelFiles, partsOf, type Recorded, versionIn } from './model-records.ts';
import { DIRECTORY_UNITS, directoryOf, type ModelSource, unitOf, type Version } from './model-sources.ts';
import { UNIT_BYTES } from './model-store.ts';
import type { PartSender } from './part-sender.ts';
import type { ZipperDeps } from './zipper-deps.ts';

interface Writing {
  readonly sender: PartSender;
  readonly continuation: Continuation | undefined;
  readonly files: ModelFiles;
  readonly signal: AbortSignal;
}

/** How likely a unit is the last one that the attempt reads. */
const FAILURES = { retriable: 0.004, permanent: 0.001 };

/** A failure after which the upload cannot be continued by anybody. */
export class Unusable extends AppError {
  constructor(message: string) {
    super(message, { code: 'SourceChanged', retryable: true });
  }
}

function mayFail({ random, failsOften }: ZipperDeps): void {
  const drawn = random.next() / (failsOften ? 10 : 1);
  if (drawn < FAILURES.permanent)
    throw new AppError('the file is gone', { code: 'SourceNotFound', retryable: false });
  if (drawn < FAILURES.permanent + FAILURES.retriable)
    throw new AppError('the source ended', { code: 'SourceTruncated', retryable: true });
}

interface OneFile extends Writing {
  readonly index: number;
  readonly source: ModelSource;
  readonly record: Recorded;
}

async function writeUnits({ index, sender, record }: OneFile, from: () => Promise<Version>): Promise<void> {
  const { units } = record.version;
  for (let offset = 0; offset < units; offset += 1) {
    const version = await from();
    record.written = offset + 1;
    await sender.add(unitOf(index, version, offset));
  }
}

/** Each range is requested with the validator. */
function writeRanges(deps: ZipperDeps, file: OneFile): Promise<void> {
  const { sender, record, signal, index } = file;
  return writeUnits(file, async () => {
    if (sender.isKept) return record.version;
    const now = await ask(deps, index, signal);
    mayFail(deps);
    if (deps.mistake === 'ignoresValidators') return now;
    if (now.validator !== record.version.validator)
      throw new Unusable('a source changed after it was confirmed');
    return record.version;
  });
}

/** Whether a part behind the file is kept, so that the file must have its recorded length. */
function mustFit({ continuation, index }: OneFile, at: number): boolean {
  const entry = continuation?.records[index]?.entry;
  if (!entry) return false;
  const last = partsOf(at, entry.bytes / UNIT_BYTES).at(-1)?.part ?? 0;
  return [...continuation.parts.keys()].some((part) => part > last);
}

async function writeFresh(deps: ZipperDeps, file: OneFile): Promise<void> {
  const { continuation, index, record, signal } = file;
  const recorded = continuation?.records[index]?.entry?.bytes ?? 0;
  if (recorded !== record.version.units * UNIT_BYTES && mustFit(file, record.at))
    throw new Unusable('a file in front of kept parts changed its length');
  await writeUnits(file, async () => {
    await deps.time.delay(deps.random.int(50, 1_000), undefined, { signal });
    mayFail(deps);
    return record.version;
  });
}

async function writeFile(deps: ZipperDeps, writing: Writing, index: number): Promise<void> {
  const source = deps.sources.files[index];
  if (!source) throw new Error(`there is no file ${index}`);
  const continued: ContinuedFile | undefined = writing.continuation?.files.get(index);
  const version = continued ? versionIn(continued.record) : await ask(deps, index, writing.signal);
  const file = { ...writing, index, source, record: writing.files.start(source, version) };
  if (!continued) await writeFresh(deps, file);
  else if (continued.kind === 'ranges') await writeRanges(deps, file);
  else await writeUnits(file, () => Promise.resolve(version));
}

export async function writeArchive(deps: ZipperDeps, writing: Writing): Promise<void> {
  for (const index of deps.sources.files.keys()) await writeFile(deps, writing, index);
  for (let unit = 0; unit < DIRECTORY_UNITS; unit += 1)
    await writing.sender.add(directoryOf(writing.files.written, unit));
}
