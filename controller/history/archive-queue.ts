import { FairQueue } from '#runtime/fair/fair-queue.ts';
import { namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import { LiveHeap } from '../reconciling/heap.ts';

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

function isOlder(one: Entry, other: Entry): boolean {
  return one.finishedAtMs < other.finishedAtMs;
}

function createHeap(): LiveHeap<ObjectKey, Entry> {
  return new LiveHeap(({ key }) => key, isOlder);
}

/** Round-robin over projects. */
class FairHeaps {
  readonly #projects = new Map<string, LiveHeap<ObjectKey, Entry>>();
  readonly #order = new FairQueue<string>();

  has(key: ObjectKey): boolean {
    return this.#projects.get(namespaceOf(key))?.get(key) !== undefined;
  }

  add(entry: Entry): void {
    const namespace = namespaceOf(entry.key);
    const known = this.#projects.get(namespace);
    const heap = known ?? createHeap();
    heap.add(entry);
    if (known) return;
    this.#projects.set(namespace, heap);
    this.#order.push(namespace, namespace);
  }

  /** False if the key was not there. */
  remove(key: ObjectKey): boolean {
    return this.#projects.get(namespaceOf(key))?.remove(key) ?? false;
  }

  oldestMs(): number {
    let oldest = Infinity;
    for (const heap of this.#projects.values())
      oldest = Math.min(oldest, heap.first()?.finishedAtMs ?? Infinity);
    return oldest;
  }

  take(): Entry | undefined {
    for (let namespace = this.#order.shift(); namespace !== undefined; namespace = this.#order.shift()) {
      const heap = this.#projects.get(namespace);
      const oldest = heap?.shift();
      if (heap && heap.size > 0) this.#order.push(namespace, namespace);
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
