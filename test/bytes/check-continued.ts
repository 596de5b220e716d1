/** Continues a generated job several times, and compares the archives with one that was not disturbed. */
import { AppError } from '#runtime/errors.ts';
import { createRandom } from '#test/support/random.ts';
import { type Continued, ContinuedJob, type Done, NOTHING, type Versions } from './continued-job.ts';
import { type GeneratedJob, generateJob } from './generate-job.ts';
import { resolvePlainly } from './plain-resolve.ts';

/** How often a job is continued, each time from what the run before has recorded. */
const PODS = 3;
const SNAPSHOTS = 4;

/** How files and parts were continued. */
export interface ContinuedCounts {
  kept: number;
  repeated: number;
  ranges: number;
  /** Those of `ranges` with an exact header whose bytes were not all there. */
  exact: number;
  parts: number;
  /** Jobs that would have to begin again. */
  refused: number;
}

export function noCounts(): ContinuedCounts {
  return { kept: 0, repeated: 0, ranges: 0, exact: 0, parts: 0, refused: 0 };
}

export interface ContinuedOptions {
  /** Sources have other versions for some of the pods. */
  readonly changes?: boolean;
  /** The job states the CRC-32 of every file. */
  readonly statesCrc32?: boolean;
}

function generatedJob(seed: number, statesCrc32: boolean | undefined): GeneratedJob {
  const job = generateJob(seed);
  return statesCrc32 === true
    ? { ...job, files: job.files.map((file) => ({ ...file, stated: 'crc32' })) }
    : job;
}

function addTo(counts: ContinuedCounts, { files, kept }: Continued): void {
  counts.parts += kept.size;
  for (const { kind, record } of files.values()) {
    counts[kind] += 1;
    counts.exact += Number(kind === 'ranges' && record.entry?.headerCrc !== undefined);
  }
}

/** What differs from the archive that was not disturbed, if anything. */
function differenceIn(found: Done, want: Done, { files, kept }: Continued): string | undefined {
  if (found.parts.size !== want.parts.size) return `${found.parts.size} instead of ${want.parts.size} parts`;
  for (const [number, bytes] of want.parts)
    if (found.parts.get(number)?.equals(bytes) !== true)
      return `part ${number}, which was ${kept.has(number) ? 'kept' : 'made again'}`;
  if (JSON.stringify(found.result) !== JSON.stringify(want.result)) return 'the result';
  for (const [index, { kind }] of files)
    if (kind === 'kept' && found.read.has(index)) return `file ${index}, which was read`;
  return undefined;
}

/** What an archive has that was continued while sources changed: those of the records, and the new ones of all other files. */
function versionsOf({ files }: Continued, recorded: Versions, current: Versions): Versions {
  return current.map((version, index) => (files.has(index) ? (recorded[index] ?? version) : version));
}

/** The run ended because what it wrote again does not fit in front of what was kept. */
function isLayoutChanged(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SourceChanged' && error.retryable;
}

/**
 * Continues a job.
 * @throws Error if an archive is not that of an undisturbed run with the same versions, or if a run fails
 */
export async function checkContinued(
  seed: number,
  counts: ContinuedCounts,
  { changes, statesCrc32 }: ContinuedOptions = {},
): Promise<void> {
  const random = createRandom(seed + 5000);
  const generated = generatedJob(seed, statesCrc32);
  const job = new ContinuedJob(generated, random);
  const most = random.pick([5, 30, 120]);
  function points(): number[] {
    return Array.from({ length: SNAPSHOTS }, () => random.int(1, most));
  }
  let current: Versions = generated.files;
  const first = await job.run(NOTHING, points(), current);
  let { snapshots } = first;
  for (let pod = 1; pod <= PODS && snapshots.length > 0; pod += 1) {
    const snapshot = random.pick(snapshots);
    if (changes === true) current = job.changed(current);
    const continued = resolvePlainly(job, { snapshot, current, random });
    const versions = versionsOf(continued, snapshot.versions, current);
    const done = await job.run(continued, points(), versions).catch((error: unknown) => {
      if (changes === true && isLayoutChanged(error)) return undefined;
      throw new Error(`seed ${seed}, pod ${pod}`, { cause: error });
    });
    if (!done) {
      counts.refused += 1;
      return;
    }
    const want = changes === true ? await job.run(NOTHING, [], versions) : first;
    const difference = differenceIn(done, want, continued);
    if (difference !== undefined) throw new Error(`seed ${seed}, pod ${pod}: ${difference}`);
    addTo(counts, continued);
    if (done.snapshots.length > 0) ({ snapshots } = done);
  }
}

/** The first seeds, apart from those of archives that are too large for memory or have very many entries. */
export function continuedSeeds(count: number): readonly number[] {
  const seeds: number[] = [];
  for (let seed = 1; seeds.length < count; seed += 1) {
    const { zerosBefore, inlineFiles } = generateJob(seed);
    if (zerosBefore === 0 && inlineFiles === 0) seeds.push(seed);
  }
  return seeds;
}
