import type { ZipJob } from '#crds/zip-job.ts';
import { isOlderVersion } from '#runtime/kube/object-cache.ts';
import { type Change, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { Refusal } from '../engine/refusal.ts';

/**
 * State that the caches lack: objects that this process wrote, until the watch delivers them, and Jobs that the API server
 * rejected.
 */
export interface Memory {
  /** Keeps the response of a write or a live read. */
  keep(key: ObjectKey, zipJob: ZipJob): void;
  /** Drops an object that the cache has caught up with. */
  see(change: Change<ZipJob>): void;
  /** The newer of the cached and the kept object. */
  newest(cached: ZipJob): ZipJob;
  refusal(key: ObjectKey): Refusal | undefined;
  refused(key: ObjectKey, refusal: Refusal): void;
  accepted(key: ObjectKey): void;
  forget(key: ObjectKey): void;
}

/** `cached` returns a ZipJob from the cache. */
export const createMemory = (cached: (key: ObjectKey) => ZipJob | undefined): Memory => {
  const written = new Map<ObjectKey, ZipJob>();
  const refusals = new Map<ObjectKey, Refusal>();
  const newest = (seen: ZipJob): ZipJob => {
    const own = written.get(objectKey(seen));
    const isSame = own?.metadata.uid === seen.metadata.uid;
    return own && isSame && isOlderVersion(seen.metadata.resourceVersion, own.metadata.resourceVersion)
      ? own
      : seen;
  };
  const dropOld = (key: ObjectKey, seen: ZipJob | undefined): void => {
    if (!seen || newest(seen) === seen) written.delete(key);
  };
  return {
    keep: (key, zipJob) => {
      written.set(key, zipJob);
      // The watch may have delivered the object before the response arrived.
      dropOld(key, cached(key));
    },
    see: (change) => {
      dropOld(change.key, change.kind === 'set' ? change.object : undefined);
    },
    newest,
    refusal: (key) => refusals.get(key),
    refused: (key, refusal) => {
      refusals.set(key, refusal);
    },
    accepted: (key) => {
      refusals.delete(key);
    },
    forget: (key) => {
      written.delete(key);
      refusals.delete(key);
    },
  };
};
