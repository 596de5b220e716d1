/** The files of jobs whose uploads outlive their pods: in all at least 40 MiB, from sources that take ten seconds. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { generatedChunks } from '#test/support/builders/generated-bytes.ts';

const MIB = 1024 * 1024;
const SECONDS = 10;

interface ResumingFile {
  readonly name: string;
  readonly bytes: number;
  readonly seed: number;
  /** Its source: a paced one with or without ranges, or one that sends everything at once. */
  readonly source: 'ranges' | 'whole' | 'at once';
}

function small(seed: number): ResumingFile {
  return { name: `small-${seed}`, bytes: 70_000 + seed, seed, source: 'at once' };
}

const LARGE: ResumingFile = { name: 'large', bytes: 22 * MIB + 1, seed: 101, source: 'ranges' };
const WHOLE: ResumingFile = { name: 'whole', bytes: 14 * MIB + 3, seed: 102, source: 'whole' };
const MIDDLE: ResumingFile = { name: 'middle', bytes: 6 * MIB + 7, seed: 103, source: 'ranges' };

interface Variant {
  readonly files: readonly ResumingFile[];
  /** Options of the request. */
  readonly options: Readonly<Record<string, string>>;
}

/** With this time, the same files give the same bytes. */
const TIMES = { modification_time: '2026-01-31T12:00:00Z' };

/** A large file in front of small ones and behind them, and files whose place in the archive is not known before they end. */
const VARIANTS: readonly Variant[] = [
  { files: [LARGE, small(1), small(2), WHOLE, small(3), MIDDLE], options: TIMES },
  {
    files: [small(1), WHOLE, small(2), small(3), MIDDLE, LARGE],
    options: { ...TIMES, manifest: 'sha256sum' },
  },
  { files: [MIDDLE, small(1), LARGE, WHOLE, small(2)], options: { ...TIMES, compression: 'deflate' } },
];
export const RESUMING_VARIANTS = VARIANTS.length;

function variantOf(variant: number): Variant {
  return VARIANTS[variant] ?? { files: [], options: {} };
}

export function resumingOptions(variant: number): Readonly<Record<string, string>> {
  return variantOf(variant).options;
}

/** Paths at the source. Its files share one rate with the name of the key, so that those of another job do not slow them down. */
export function resumingSources(variant: number, key: string): readonly string[] {
  const { files } = variantOf(variant);
  const rate = Math.ceil(files.reduce((sum, { bytes }) => sum + bytes, 0) / SECONDS);
  return files.map(({ bytes, seed, source }) => {
    if (source === 'at once') return `/gen/${bytes}/${seed}`;
    const ranges = source === 'whole' ? '&no-ranges' : '';
    return `/paced/${rate}/${bytes}/${seed}?in=${basename(key)}${ranges}`;
  });
}

export function resumingNames(variant: number): readonly string[] {
  return variantOf(variant).files.map(({ name }) => name);
}

function sha256Of({ bytes, seed }: ResumingFile): string {
  const hash = createHash('sha256');
  for (const piece of generatedChunks(bytes, seed)) hash.update(piece);
  return hash.digest('hex');
}

const SUMS = 'manifest-sha256.txt';
const computed = new Map<number, Readonly<Record<string, string>>>();

/** Name and SHA-256 of each expected entry, computed once. */
export function resumingEntries(variant: number): Readonly<Record<string, string>> {
  const known = computed.get(variant);
  if (known !== undefined) return known;
  const { files, options } = variantOf(variant);
  const sums = files.map((file) => [file.name, sha256Of(file)] as const);
  const text = sums.map(([name, sum]) => `${sum}  ${name}\n`).join('');
  const entries = {
    ...Object.fromEntries(sums),
    ...(options['manifest'] !== undefined && { [SUMS]: createHash('sha256').update(text).digest('hex') }),
  };
  computed.set(variant, entries);
  return entries;
}
