/** The speed of this machine, compared with the reference machine of build-costs.json. */
export interface MachineSpeed {
  readonly cores: number;
  /** Seconds that a core needs for one second of work on the reference machine. */
  readonly slowness: number;
}

/** The cost of a build in seconds of CPU time on the reference machine. */
export interface BuildCosts {
  /** The whole build with an empty cache. */
  readonly cpuSeconds: number;
  /** The part that cannot run in parallel: the longest chain of packages that import each other, and linking. */
  readonly serialSeconds: number;
  readonly linkSeconds: number;
  /** The cost of a package that is not in `packages`. */
  readonly otherPackageSeconds: number;
  /** The most expensive packages. */
  readonly packages: Readonly<Record<string, number>>;
}

/** The progress of a build. */
export interface BuildProgress {
  /** Called with the name of each package when its compilation starts. */
  begin(name: string): void;
  readonly packagesStarted: number;
  readonly packagesToCompile: number;
  /** Remaining time after this many seconds of a build that was expected to take `expectedSeconds`. */
  secondsLeft(elapsedSeconds: number, expectedSeconds: number): number;
}

/** Time for work of `cpuSeconds` on the reference machine. `serialSeconds` of it cannot run in parallel. */
export function estimateSeconds(
  work: { readonly cpuSeconds: number; readonly serialSeconds: number },
  speed: MachineSpeed,
): number {
  const serial = Math.min(work.serialSeconds, work.cpuSeconds);
  return speed.slowness * (serial + (work.cpuSeconds - serial) / speed.cores);
}

/** The cost of a build that compiles only these packages. */
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
      // The pace of the first packages is unreliable, so the estimate also counts until half of the build is done.
      const trust = Math.min(1, 2 * share);
      const observed = share === 0 ? expectedSeconds : elapsedSeconds / share;
      return (1 - share) * (trust * observed + (1 - trust) * expectedSeconds);
    },
  };
}

function packageSeconds(costs: BuildCosts, name: string): number {
  return costs.packages[name] ?? costs.otherPackageSeconds;
}

/** A coarse duration, because estimates are not precise: `10 s`, `45 s`, `2 min`, `1 h 10 min`. */
export function roughly(seconds: number): string {
  if (seconds < 90) return `${Math.max(5, 5 * Math.round(seconds / 5))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
