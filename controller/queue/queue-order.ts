/** One job that requests a slot, and the limits it counts against. */
export interface SlotRequest {
  readonly key: string;
  readonly uid: string;
  readonly project: string;
  /** `namespace/name` of the ZipBucket. */
  readonly bucket: string;
  /** The object that the job writes, at its store: a project has at most one active job for it at a time. */
  readonly target: string;
  /** Key of that object in its bucket. */
  readonly objectKey: string;
  /** Sorts by age; unique within a project. */
  readonly order: string;
  /** False in a trusted queue: the job takes no slot. */
  readonly isLimited: boolean;
}

export interface SlotLimits {
  readonly inAll: number;
  readonly perBucket: number;
  /** True while the store of a bucket is away: then only one job at a time tries it. */
  readonly isHeld: (bucket: string) => boolean;
  readonly ofProject: (project: string) => number;
}

export interface WaitingRequests {
  /** The oldest request. */
  first(): SlotRequest | undefined;
}

/** The jobs of one bucket of a project. */
export interface BucketQueue {
  readonly active: number;
  readonly waiting: WaitingRequests;
}

export interface ProjectQueue {
  readonly active: number;
  /** Sequence number of when it was last served or queued; the smallest has waited longest. */
  readonly since: number;
  readonly buckets: ReadonlyMap<string, BucketQueue>;
}

/** Active jobs are those with a reservation or a Job. */
export interface QueueState {
  /** Active jobs that take a slot. */
  readonly active: number;
  readonly projects: ReadonlyMap<string, ProjectQueue>;
  /** Waiting jobs that take no slot. */
  readonly unlimited: WaitingRequests;
}

function ofBucket({ perBucket, isHeld }: SlotLimits, bucket: string): number {
  return isHeld(bucket) ? Math.min(1, perBucket) : perBucket;
}

/** The oldest job of a project with room in its bucket. */
function oldest({ buckets }: ProjectQueue, limits: SlotLimits): SlotRequest | undefined {
  let first: SlotRequest | undefined;
  for (const [bucket, { active, waiting }] of buckets) {
    if (active >= ofBucket(limits, bucket)) continue;
    const head = waiting.first();
    if (head && (!first || head.order < first.order)) first = head;
  }
  return first;
}

/** Part of the slots by which projects without a running job may exceed the limit in all; at least one slot. */
const EXTRA_SHARE = 0.1;

/**
 * Jobs that may run in all if those above the limit are the only ones of their projects. Otherwise a few projects whose sources are
 * slow could hold every slot for hours. Without slots there are no further ones.
 */
export function mostInAll({ inAll }: Pick<SlotLimits, 'inAll'>): number {
  return inAll === 0 ? 0 : inAll + Math.max(1, Math.floor(inAll * EXTRA_SHARE));
}

function comesBefore(one: ProjectQueue, other: ProjectQueue): boolean {
  return one.active === other.active ? one.since < other.since : one.active < other.active;
}

function nextLimited(state: QueueState, limits: SlotLimits): SlotRequest | undefined {
  const isFull = state.active >= limits.inAll;
  if (state.active >= mostInAll(limits)) return undefined;
  let best: { readonly queue: ProjectQueue; readonly request: SlotRequest } | undefined;
  for (const [project, queue] of state.projects) {
    if (best && !comesBefore(queue, best.queue)) continue;
    const most = isFull ? 1 : Infinity;
    const request =
      queue.active < Math.min(most, limits.ofProject(project)) ? oldest(queue, limits) : undefined;
    if (request) best = { queue, request };
  }
  return best?.request;
}

/**
 * The next job. Jobs that take no slot come first. Then comes the project with the fewest active jobs, among equals the one
 * served longest ago; within a project the oldest job whose bucket has room. The cost grows with projects and buckets, not
 * with jobs. Undefined when no limit leaves room for any.
 */
export function nextRequest(state: QueueState, limits: SlotLimits): SlotRequest | undefined {
  return state.unlimited.first() ?? nextLimited(state, limits);
}

/** The limit that blocks a waiting job, the narrowest first. Has no changing count, because it is written to the status. */
export function reachedLimit(
  state: QueueState,
  { project, bucket }: SlotRequest,
  limits: SlotLimits,
): string | undefined {
  const queue = state.projects.get(project);
  const ofProject = limits.ofProject(project);
  const active = queue?.buckets.get(bucket)?.active ?? 0;
  if (active >= ofBucket(limits, bucket))
    return limits.isHeld(bucket)
      ? 'the store of the bucket does not respond, so one job at a time tries it'
      : `at most ${limits.perBucket} jobs of one bucket can run at the same time`;
  if ((queue?.active ?? 0) >= ofProject)
    return `at most ${ofProject} jobs of this project can run at the same time`;
  if (state.active >= limits.inAll)
    return `at most ${limits.inAll} jobs can run at the same time in total; the queue is fair across projects and starts the oldest job of each first`;
  return undefined;
}
