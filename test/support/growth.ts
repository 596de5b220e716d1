const ATTEMPTS = 4;
const MEASURABLE_MS = 2;
/** Quadratic time is measurable long before this length. */
const MAX_LENGTH = 1 << 17;
const FACTOR = 4;
/** Between linear and quadratic, with room for caches and garbage collection. */
const MAX_RATIO = 9;
/** Many times the resolution of the CPU clock. */
const MEASURED_MS = 20;

export interface Growth {
  /** Characters of the shorter input; the other one is four times as long. */
  readonly length: number;
  /** Times of both. Undefined if the longest input takes too little time to measure. */
  readonly ratio: number | undefined;
}

/** CPU time of one run in milliseconds. Other processes, which use the machine too, do not count. */
function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  let runs = 0;
  let used = 0;
  while (used < MEASURED_MS) {
    run();
    runs += 1;
    const { user, system } = process.threadCpuUsage(before);
    used = (user + system) / 1000;
  }
  return used / runs;
}

function measureOnce(run: (text: string) => void, inputOf: (length: number) => string): Growth {
  for (let length = 32; length < MAX_LENGTH; length *= 2) {
    const text = inputOf(length);
    const started = performance.now();
    run(text);
    if (performance.now() - started < MEASURABLE_MS) continue;
    const shorter = cpuMs(() => run(text));
    if (shorter < MEASURABLE_MS) continue;
    const longText = inputOf(length * FACTOR);
    return { length, ratio: cpuMs(() => run(longText)) / shorter };
  }
  return { length: MAX_LENGTH, ratio: undefined };
}

export function isLinear({ ratio = 0 }: Growth): boolean {
  return ratio < MAX_RATIO;
}

/**
 * How the time grows when the input grows fourfold: 4 for linear time, 16 for quadratic time. Garbage collection can only spoil a
 * result, so the first linear one counts.
 */
export function measureGrowth(run: (text: string) => void, inputOf: (length: number) => string): Growth {
  let growth = measureOnce(run, inputOf);
  for (let attempt = 1; attempt < ATTEMPTS && !isLinear(growth); attempt += 1)
    growth = measureOnce(run, inputOf);
  return growth;
}
