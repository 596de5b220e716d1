import type { ObjectKey } from '#runtime/kube/types.ts';

/** Waiting jobs that one full reconcile includes, about. */
const WAITING_KEYS = 5000;
/** Characters of a key that decide its part; names end with a uuid. */
const HASHED_CHARACTERS = 8;

function partOf(key: ObjectKey, parts: number): number {
  let hash = 0;
  for (let index = Math.max(0, key.length - HASHED_CHARACTERS); index < key.length; index += 1)
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) >>> 0;
  return hash % parts;
}

/**
 * The keys for one full reconcile after another. Jobs that wait for a slot do not change by themselves, and the ledger requeues
 * them. Because there may be a hundred thousand, each time has one part of them, and each of them is in one of the next times.
 */
export function createFullReconcileKeys(
  keys: () => Iterable<ObjectKey>,
  isWaiting: (key: ObjectKey) => boolean,
): () => Iterable<ObjectKey> {
  let times = 0;
  let parts = 1;
  return function* () {
    let waiting = 0;
    times += 1;
    const part = times % parts;
    for (const key of keys()) {
      if (!isWaiting(key)) yield key;
      else {
        waiting += 1;
        if (partOf(key, parts) === part) yield key;
      }
    }
    parts = Math.max(1, Math.ceil(waiting / WAITING_KEYS));
  };
}
