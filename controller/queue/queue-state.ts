import { LiveHeap } from '../reconciling/heap.ts';
import type { QueueState, SlotRequest } from './queue-order.ts';

/** Waiting jobs, of which the oldest is next. */
export class WaitingQueue extends LiveHeap<SlotRequest, SlotRequest> {
  constructor() {
    super(
      (request) => request,
      (one, other) => one.order < other.order,
    );
  }
}

interface Bucket {
  active: number;
  readonly waiting: WaitingQueue;
}

interface Project {
  active: number;
  waiting: number;
  since: number;
  readonly buckets: Map<string, Bucket>;
}

/** Counts active jobs and queues waiting ones, per project and bucket. */
export class MutableQueueState implements QueueState {
  active = 0;
  /** These count nowhere. */
  readonly #awaiting = new Set<string>();
  readonly projects = new Map<string, Project>();
  readonly unlimited = new WaitingQueue();
  #served = 0;

  enqueue(request: SlotRequest): void {
    if (!request.isLimited) {
      this.unlimited.add(request);
      return;
    }
    const project = this.#project(request.project);
    const { waiting } = this.#bucket(request);
    if (project.waiting === 0) project.since = Math.max(project.since, this.#served);
    project.waiting += 1;
    waiting.add(request);
  }

  dequeue(request: SlotRequest): void {
    if (!request.isLimited) {
      this.unlimited.remove(request);
      return;
    }
    const { waiting } = this.#bucket(request);
    waiting.remove(request);
    this.#project(request.project).waiting -= 1;
    this.#forgetEmpty(request);
  }

  activate(request: SlotRequest): void {
    if (request.isLimited) this.#count(request, 1);
  }

  deactivate(request: SlotRequest): void {
    this.setAwaitingRecovery(request, false);
    if (!request.isLimited) return;
    this.#count(request, -1);
    this.#forgetEmpty(request);
  }

  /**
   * While the recovery of a job cannot continue, it takes no slot: a store that does not respond, or that assembles a large
   * archive, can delay it by a day. No other job writes its key meanwhile. Returns whether anything changed.
   */
  setAwaitingRecovery(request: SlotRequest, isAwaiting: boolean): boolean {
    const { key, isLimited } = request;
    if (!isLimited || this.#awaiting.has(key) === isAwaiting) return false;
    if (isAwaiting) this.#awaiting.add(key);
    else this.#awaiting.delete(key);
    this.#count(request, isAwaiting ? -1 : 1);
    this.#forgetEmpty(request);
    return true;
  }

  /** Moves the project of an activated job to the end of the round-robin order. */
  served({ project, isLimited }: SlotRequest): void {
    if (!isLimited) return;
    this.#served += 1;
    this.#project(project).since = this.#served;
  }

  #count(request: SlotRequest, change: 1 | -1): void {
    this.active += change;
    this.#project(request.project).active += change;
    this.#bucket(request).active += change;
  }

  #project(name: string): Project {
    const known = this.projects.get(name);
    if (known) return known;
    const project: Project = { active: 0, waiting: 0, since: this.#served, buckets: new Map() };
    this.projects.set(name, project);
    return project;
  }

  #bucket({ project, bucket }: SlotRequest): Bucket {
    const { buckets } = this.#project(project);
    const known = buckets.get(bucket);
    if (known) return known;
    const made: Bucket = { active: 0, waiting: new WaitingQueue() };
    buckets.set(bucket, made);
    return made;
  }

  #forgetEmpty({ project: name, bucket: bucketKey }: SlotRequest): void {
    const project = this.projects.get(name);
    const bucket = project?.buckets.get(bucketKey);
    if (!project || !bucket || bucket.active > 0 || bucket.waiting.size > 0) return;
    project.buckets.delete(bucketKey);
    if (project.buckets.size === 0) this.projects.delete(name);
  }
}
