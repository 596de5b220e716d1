const RUNS = 3;
const ATTEMPTS = 4;
const MEASURABLE_MS = 3;
/** Quadratic time is measurable long before this length. */
const MAX_LENGTH = 1 << 17;
const FACTOR = 4;
/** Between linear and quadratic, with room for caches and garbage collection. */
const MAX_RATIO = 9;

export interface Growth {
  /** Characters of the shorter input; the other one is four times as long. */
  readonly length: number;
  /** Times of both. Undefined if the longest input takes too little time to measure. */
  readonly ratio: number | undefined;
}

/** CPU time of this thread in milliseconds, because other processes use the machine too. */
const timeOf = (run: () => void): number => {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

const shortest = (run: () => void): number => Math.min(...Array.from({ length: RUNS }, () => timeOf(run)));

const measureOnce = (run: (text: string) => void, inputOf: (length: number) => string): Growth => {
  let length = 32;
  for (; length < MAX_LENGTH; length = Math.ceil(length * 1.5)) {
    const text = inputOf(length);
    if (timeOf(() => run(text)) >= MEASURABLE_MS && shortest(() => run(text)) >= MEASURABLE_MS) break;
  }
  if (length >= MAX_LENGTH) return { length: MAX_LENGTH, ratio: undefined };
  const [short, long] = [inputOf(length), inputOf(length * FACTOR)];
  return { length, ratio: shortest(() => run(long)) / shortest(() => run(short)) };
};

export const isLinear = ({ ratio = 0 }: Growth): boolean => ratio < MAX_RATIO;

/**
 * How the time grows when the input grows fourfold: 4 for linear time, 16 for quadratic time. A busy machine can only spoil a
 * result, so the first linear one counts.
 */
export const measureGrowth = (run: (text: string) => void, inputOf: (length: number) => string): Growth => {
  let growth = measureOnce(run, inputOf);
  for (let attempt = 1; attempt < ATTEMPTS && !isLinear(growth); attempt += 1)
    growth = measureOnce(run, inputOf);
  return growth;
};
