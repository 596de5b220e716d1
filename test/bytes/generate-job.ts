/** Jobs by seed, whose archives must have the same bytes whatever the timing and the number of readers. */
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { createRandom, type Random } from '#test/support/random.ts';

/** How the origin behaves, apart from the bytes of the file. */
export interface FileMood {
  /** Bytes per chunk of a response. */
  readonly chunkBytes: number;
  readonly declaresLength: boolean;
  readonly validator: 'etag' | 'date' | 'none';
  /** What a request with Range gets. */
  readonly ranges: 'right' | 'refused' | 'ignored' | 'shifted' | 'another version' | 'cut' | 'stalled';
  /** How often a response without Range ends after this number of bytes. */
  readonly cuts: number;
  readonly cutAfter: number;
  /** So many requests get 503 first. */
  readonly away: number;
  readonly isMissing: boolean;
  readonly pauseMs: number;
}

export interface GeneratedFile extends FileMood {
  readonly filename: string;
  readonly bytes: number;
  readonly seed: number;
  /** Text that compresses well. */
  readonly isText: boolean;
  /** What the job states about the file. */
  readonly stated: 'nothing' | 'size' | 'crc32' | 'sha256';
}

export interface GeneratedJob {
  readonly seed: number;
  readonly task: Pick<
    ArchiveTask,
    | 'compression'
    | 'onSourceError'
    | 'manifestEntry'
    | 'manifestFormat'
    | 'sequential'
    | 'portableNames'
    | 'fixedModificationTime'
  >;
  readonly files: readonly GeneratedFile[];
  /** Bytes of an entry of zeros before the others. */
  readonly zerosBefore: number;
  /** Further entries, whose content is in their URL. */
  readonly inlineFiles: number;
  readonly partSizeBytes: number;
  readonly partsInFlight: number;
  /** Memory is taken in this many blocks for each part. */
  readonly blocksPerPart: number;
  readonly sliceBytes: number;
  /** Shortest file with several readers. */
  readonly rangedBytes: number;
  readonly concurrency: number;
  readonly md5: boolean;
}

const PART_SIZES = [65_535, 100_003, 262_144, 1_048_576] as const;
const CHUNKS = [1, 113, 4096, 16_384, 65_536, 300_000] as const;
const RANGES = [
  'right',
  'right',
  'right',
  'refused',
  'ignored',
  'shifted',
  'another version',
  'cut',
  'stalled',
] as const;
const STATED = ['nothing', 'nothing', 'nothing', 'size', 'crc32', 'sha256'] as const;

/** An integer from 0, and below this. */
function below(random: Random, bound: number): number {
  return random.int(0, bound - 1);
}

/** Sizes at the limits of blocks, slices, parts and small bodies, and others. */
function sizeOf(random: Random, partSizeBytes: number): number {
  const limits = [0, 1, 4096, 65_535, 65_540, 131_070, 1_048_576, partSizeBytes, 4 * partSizeBytes];
  const size =
    below(random, 2) === 0 ? random.pick(limits) + below(random, 5) - 2 : below(random, 6 * partSizeBytes);
  return Math.max(0, Math.min(size, 4_500_000));
}

function fileOf(random: Random, partSizeBytes: number): GeneratedFile {
  const bytes = below(random, 3) === 0 ? below(random, 5000) : sizeOf(random, partSizeBytes);
  // Chunks of one byte are slow.
  const chunkBytes = bytes > 50_000 ? random.pick(CHUNKS.slice(2)) : random.pick(CHUNKS);
  const validator = random.pick(['etag', 'etag', 'date', 'none'] as const);
  const cuts = below(random, 6) === 0 ? 1 + below(random, 2) : 0;
  return {
    filename: random.pick(['a', 'dir/b', 'ü', 'x.jpg', 'log.txt']),
    bytes,
    seed: below(random, 1_000_000),
    isText: below(random, 3) === 0,
    stated: random.pick(STATED),
    chunkBytes,
    declaresLength: below(random, 6) > 0,
    validator,
    ranges: random.pick(RANGES),
    cuts,
    cutAfter: below(random, bytes + 1),
    away: below(random, 12) === 0 ? 1 : 0,
    isMissing: below(random, 5) === 0,
    // A pause after each of many small chunks takes seconds.
    pauseMs: chunkBytes >= 4096 && below(random, 4) === 0 ? 1 : 0,
  };
}

const MANIFESTS = [
  {},
  {},
  { manifestEntry: 'manifest.json' },
  { manifestFormat: 'sha256sum' },
  { manifestFormat: 'bagit' },
] as const;

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** One job in so many has entries beyond 4 GiB. */
const FAR_EVERY = 40;
/** One job in so many has about 65,535 entries. */
const MANY_EVERY = 200;

/** A job whose last entries and directory are at about 4 GiB, where the format changes. */
function zerosOf(random: Random, seed: number): number {
  return seed % FAR_EVERY === 7 ? 4 * GIB - below(random, 3 * MIB) + below(random, MIB) : 0;
}

/** With the other files, a few more or fewer than 65,535, where the format changes. */
function inlineFilesOf(random: Random, seed: number): number {
  return seed % MANY_EVERY === 9 ? 65_535 - below(random, 12) : 0;
}

/** The same job for the same seed. */
export function generateJob(seed: number): GeneratedJob {
  const random = createRandom(seed);
  const zerosBefore = zerosOf(random, seed);
  const partSizeBytes = zerosBefore > 0 ? 8 * MIB : random.pick(PART_SIZES);
  const onSourceError = random.pick(['Fail', 'Fail', 'Skip', 'Placeholder'] as const);
  const sequential = below(random, 8) === 0;
  const files = Array.from({ length: 1 + below(random, 10) }, () => fileOf(random, partSizeBytes));
  return {
    seed,
    task: {
      // Compressed zeros would not be far.
      compression: zerosBefore > 0 ? 'store' : random.pick(['store', 'store', 'auto', 'deflate'] as const),
      onSourceError,
      sequential,
      ...(below(random, 3) === 0 && { fixedModificationTime: '2001-02-03T04:05:06Z' }),
      ...random.pick(MANIFESTS),
    },
    files: files.map((file, index) => ({
      ...file,
      filename: `${index}-${file.filename}`,
      // At least one file must be there.
      isMissing: file.isMissing && index > 0 && onSourceError !== 'Fail',
    })),
    zerosBefore,
    inlineFiles: inlineFilesOf(random, seed),
    blocksPerPart: random.pick([1, 1, 2, 3]),
    partSizeBytes,
    partsInFlight: 1 + below(random, 4),
    sliceBytes: 1 + below(random, 2 * partSizeBytes),
    rangedBytes: random.pick([100_000, 500_000, 1_100_000]),
    concurrency: random.pick([1, 2, 8, 32]),
    md5: below(random, 4) === 0 && zerosBefore === 0,
  };
}
