/** The files of each case. */
const KIB = 1024;
const MIB = 1024 * KIB;

export interface BenchFile {
  readonly path: string;
  readonly bytes: number;
}

export interface BenchCase {
  readonly name: string;
  readonly what: string;
  readonly latencyMs: number;
  readonly files: readonly BenchFile[];
}

function sized(sizes: readonly number[]): readonly BenchFile[] {
  return sizes.map((bytes, index) => ({ path: `${String(index).padStart(5, '0')}.bin`, bytes }));
}

export function same(count: number, bytes: number): readonly BenchFile[] {
  return sized(Array<number>(count).fill(bytes));
}

/** Like a folder of pictures, documents and a few films. */
function mixed(count: number, largest: number): readonly BenchFile[] {
  return sized(
    Array.from({ length: count }, (_, index) => {
      if (index % 50 === 49) return largest;
      return index % 5 === 4 ? 3 * MIB : 40 * KIB + index * 100;
    }),
  );
}

const CASES: Readonly<Record<'quick' | 'normal' | 'full', readonly BenchCase[]>> = {
  quick: [
    { name: 'small', what: '200 x 50 KB, 20 ms latency', latencyMs: 20, files: same(200, 50_000) },
    {
      name: 'mixed',
      what: '100 files, 20 KB to 16 MiB, 5 ms latency',
      latencyMs: 5,
      files: mixed(100, 16 * MIB),
    },
    { name: 'big', what: '4 x 64 MiB', latencyMs: 0, files: same(4, 64 * MIB) },
    { name: 'huge', what: '1 x 256 MiB', latencyMs: 0, files: same(1, 256 * MIB) },
  ],
  normal: [
    { name: 'small', what: '2,000 x 50 KB, 20 ms latency', latencyMs: 20, files: same(2000, 50_000) },
    {
      name: 'mixed',
      what: '400 files, 40 KB to 64 MiB, 5 ms latency',
      latencyMs: 5,
      files: mixed(400, 64 * MIB),
    },
    { name: 'big', what: '4 x 256 MiB', latencyMs: 0, files: same(4, 256 * MIB) },
    { name: 'huge', what: '1 x 1 GiB', latencyMs: 0, files: same(1, 1024 * MIB) },
  ],
  full: [{ name: 'huge', what: '1 x 5 GiB', latencyMs: 0, files: same(1, 5 * 1024 * MIB) }],
};

/** Nearly all of it is the start of the process. Only on request: CPU per GiB says nothing here. */
export const TINY: BenchCase = { name: 'tiny', what: '1 x 50 KB', latencyMs: 0, files: same(1, 50_000) };

/** The cases of a size. The full size has a larger huge file; the other cases are the same. */
export function benchCases(size: keyof typeof CASES): readonly BenchCase[] {
  if (size !== 'full') return CASES[size];
  const larger = new Map(CASES.full.map((one) => [one.name, one]));
  return CASES.normal.map((one) => larger.get(one.name) ?? one);
}

export function bytesOf({ files }: Pick<BenchCase, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
