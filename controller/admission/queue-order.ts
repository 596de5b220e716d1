/** One job that requests a slot, and the limits it counts against. */
export interface SlotRequest {
  readonly key: string;
  readonly uid: string;
  readonly project: string;
  /** `namespace/name` of the ZipBucket. */
  readonly bucket: string;
  /** Sorts by age; no two of a project are the same. */
  readonly order: string;
}

export interface SlotLimits {
  readonly inAll: number;
  readonly perBucket: number;
  readonly ofProject: (project: string) => number;
}

/** The jobs of one bucket of a project. */
export interface BucketLine {
  readonly running: number;
  /** Oldest first. */
  readonly waiting: readonly SlotRequest[];
}

export interface ProjectLine {
  readonly running: number;
  /** Sequence number of when it was last served or queued; the smallest has waited longest. */
  readonly since: number;
  readonly buckets: ReadonlyMap<string, BucketLine>;
}

export interface SlotState {
  readonly running: number;
  readonly projects: ReadonlyMap<string, ProjectLine>;
}

/** The oldest job of a project whose bucket has room. */
const oldest = ({ buckets }: ProjectLine, { perBucket }: SlotLimits): SlotRequest | undefined => {
  let first: SlotRequest | undefined;
  for (const { running, waiting } of buckets.values()) {
    const head = running < perBucket ? waiting[0] : undefined;
    if (head && (!first || head.order < first.order)) first = head;
  }
  return first;
};

const comesBefore = (one: ProjectLine, other: ProjectLine): boolean =>
  one.running === other.running ? one.since < other.since : one.running < other.running;

/**
 * The next job. The project with the fewest running jobs comes first, among equals the one served longest ago; within
 * a project the oldest job whose bucket has room. The cost grows with projects and buckets, not with jobs. Undefined when no
 * limit leaves room for any.
 */
export const nextInTurn = (state: SlotState, limits: SlotLimits): SlotRequest | undefined => {
  if (state.running >= limits.inAll) return undefined;
  let best: { readonly line: ProjectLine; readonly request: SlotRequest } | undefined;
  for (const [project, line] of state.projects) {
    if (best && !comesBefore(line, best.line)) continue;
    const request = line.running < limits.ofProject(project) ? oldest(line, limits) : undefined;
    if (request) best = { line, request };
  }
  return best?.request;
};

/** The limit that blocks a waiting job, the narrowest first. Has no changing count, because it is written to the status. */
export const takenSlots = (
  state: SlotState,
  { project, bucket }: SlotRequest,
  limits: SlotLimits,
): string => {
  const line = state.projects.get(project);
  const ofProject = limits.ofProject(project);
  if ((line?.buckets.get(bucket)?.running ?? 0) >= limits.perBucket)
    return `at most ${limits.perBucket} jobs of one bucket can run at the same time`;
  if ((line?.running ?? 0) >= ofProject)
    return `at most ${ofProject} jobs of this project can run at the same time`;
  return `at most ${limits.inAll} jobs can run at the same time in total; the queue is fair across projects and starts the oldest job of each first`;
};
