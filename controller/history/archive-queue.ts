import { namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import { FairQueue } from '../engine/fair-queue.ts';
import { Heap } from '../engine/heap.ts';

/** A ZipJob that the history has to store. */
interface Entry {
  readonly key: ObjectKey;
  /** When the job finished, in milliseconds since 1970. */
  readonly finishedAtMs: number;
}

interface Pending extends Entry {
  /** It is being deleted, so it is taken before all others. */
  readonly isUrgent: boolean;
}

/**
 * The keys of the ZipJobs that the history has to store: round-robin over projects, and the oldest of a project first. Contains
 * each key once, and no objects.
 */
export interface ArchiveQueue {
  /** False if the queue is full and the key is not in it. */
  add(pending: Pending): boolean;
  remove(key: ObjectKey): void;
  /** Removes and returns the next job. */
  take(): Entry | undefined;
  readonly size: number;
  /** The earliest end of a job in the queue, in milliseconds since 1970. Takes a moment for each project. */
  oldestMs(): number | undefined;
}

/** Superseded entries that a heap may contain in addition to as many as it has valid ones. */
const SPARE_ENTRIES = 64;

interface Project {
  /** The valid entry of each key. */
  readonly valid: Map<ObjectKey, Entry>;
  readonly heap: Heap<Entry>;
}

function isOlder(one: Entry, other: Entry): boolean {
  return one.finishedAtMs < other.finishedAtMs;
}

/** The oldest job of one project. */
function takeOldest(project: Project): Entry | undefined {
  for (let first = project.heap.shift(); first; first = project.heap.shift()) {
    if (project.valid.get(first.key) !== first) continue;
    project.valid.delete(first.key);
    return first;
  }
  return undefined;
}

/** The end of the oldest job of one project. */
function oldestOf({ heap, valid }: Project): number {
  for (let first = heap.first(); first; first = heap.first()) {
    if (valid.get(first.key) === first) return first.finishedAtMs;
    heap.shift();
  }
  return Infinity;
}

/** Round-robin over projects. */
class FairHeaps {
  readonly #projects = new Map<string, Project>();
  readonly #order = new FairQueue<string>();

  has(key: ObjectKey): boolean {
    return this.#projects.get(namespaceOf(key))?.valid.has(key) ?? false;
  }

  add(entry: Entry): void {
    const namespace = namespaceOf(entry.key);
    const known = this.#projects.get(namespace);
    const project: Project = known ?? { valid: new Map(), heap: new Heap(isOlder) };
    const { valid, heap } = project;
    valid.set(entry.key, entry);
    heap.push(entry);
    if (heap.size > 2 * valid.size + SPARE_ENTRIES) heap.keep((one) => valid.get(one.key) === one);
    if (known) return;
    this.#projects.set(namespace, project);
    this.#order.push(namespace, namespace);
  }

  /** False if the key was not there. */
  remove(key: ObjectKey): boolean {
    return this.#projects.get(namespaceOf(key))?.valid.delete(key) ?? false;
  }

  oldestMs(): number {
    let oldest = Infinity;
    for (const project of this.#projects.values()) oldest = Math.min(oldest, oldestOf(project));
    return oldest;
  }

  take(): Entry | undefined {
    for (let namespace = this.#order.shift(); namespace !== undefined; namespace = this.#order.shift()) {
      const project = this.#projects.get(namespace);
      const oldest = project && takeOldest(project);
      if (project && project.valid.size > 0) this.#order.push(namespace, namespace);
      else this.#projects.delete(namespace);
      if (oldest) return oldest;
    }
    return undefined;
  }
}

/** `limit`: the most keys that the queue contains. */
export function createArchiveQueue(limit: number): ArchiveQueue {
  const urgent = new FairHeaps();
  const usual = new FairHeaps();
  let size = 0;
  function remove(key: ObjectKey): void {
    for (const heaps of [urgent, usual]) if (heaps.remove(key)) size -= 1;
  }
  return {
    add: ({ key, finishedAtMs, isUrgent }) => {
      const heaps = isUrgent ? urgent : usual;
      if (heaps.has(key)) return true;
      remove(key);
      // A deletion does not wait.
      if (size >= limit && !isUrgent) return false;
      heaps.add({ key, finishedAtMs });
      size += 1;
      return true;
    },
    remove,
    take: () => {
      const entry = urgent.take() ?? usual.take();
      if (entry) size -= 1;
      return entry;
    },
    get size() {
      return size;
    },
    oldestMs: () => {
      const oldest = Math.min(urgent.oldestMs(), usual.oldestMs());
      return oldest === Infinity ? undefined : oldest;
    },
  };
}
