/** How this machine compares with the one on which the costs of a build were measured. */
export interface MachineSpeed {
  readonly cores: number;
  /** Seconds that a core here takes for what took one second there. */
  readonly slowness: number;
}

/** What compiling cost: seconds of processor time on the machine of reference. */
export interface BuildCosts {
  /** All of it, from an empty cache. */
  readonly cpuSeconds: number;
  /** The part that waits for itself: the longest chain of packages that import each other, and linking. */
  readonly serialSeconds: number;
  readonly linkSeconds: number;
  /** What a package costs that is not in `packages`. */
  readonly otherPackageSeconds: number;
  /** The packages that cost most. */
  readonly packages: Readonly<Record<string, number>>;
}

/** How far a build is. */
export interface BuildProgress {
  /** Takes the name of a package when its compilation begins. */
  begin(name: string): void;
  readonly packagesStarted: number;
  readonly packagesToCompile: number;
  /** What is left after this many seconds, for a build that was expected to take `expectedSeconds`. */
  secondsLeft(elapsedSeconds: number, expectedSeconds: number): number;
}

/** Time for work that took `cpuSeconds` there, of which `serialSeconds` cannot be shared among cores. */
export function estimateSeconds(
  work: { readonly cpuSeconds: number; readonly serialSeconds: number },
  speed: MachineSpeed,
): number {
  const serial = Math.min(work.serialSeconds, work.cpuSeconds);
  return speed.slowness * (serial + (work.cpuSeconds - serial) / speed.cores);
}

/** The same work when only these packages have to be compiled. */
export function costOf(costs: BuildCosts, packages: readonly string[]): number {
  return packages.reduce((sum, name) => sum + packageSeconds(costs, name), costs.linkSeconds);
}

export function createProgress(costs: BuildCosts, packages: readonly string[]): BuildProgress {
  const waiting = new Set(packages);
  const total = costOf(costs, packages);
  let started = 0;
  let done = 0;
  return {
    begin: (name) => {
      started += 1;
      if (waiting.delete(name)) done += packageSeconds(costs, name);
    },
    get packagesStarted() {
      return started;
    },
    get packagesToCompile() {
      return packages.length;
    },
    secondsLeft: (elapsedSeconds, expectedSeconds) => {
      const share = done / total;
      // The first packages tell little, so until half is done the estimate counts too.
      const trust = Math.min(1, 2 * share);
      const observed = share === 0 ? expectedSeconds : elapsedSeconds / share;
      return (1 - share) * (trust * observed + (1 - trust) * expectedSeconds);
    },
  };
}

function packageSeconds(costs: BuildCosts, name: string): number {
  return costs.packages[name] ?? costs.otherPackageSeconds;
}

/** Coarse, as an estimate is: `10 s`, `45 s`, `2 min`, `1 h 10 min`. */
export function roughly(seconds: number): string {
  if (seconds < 90) return `${Math.max(5, 5 * Math.round(seconds / 5))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
