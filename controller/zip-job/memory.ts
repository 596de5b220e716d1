import type { ZipJob } from '#crds/zip-job.ts';
import { isOlderVersion } from '#runtime/kube/object-cache.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Refusal } from '../engine/refusal.ts';

/**
 * What this process knows before its caches do: the objects that it wrote, until the watch delivers them, and which
 * Jobs the API server rejected.
 */
export interface Memory {
  /** Keeps the response of a write or a live read. */
  keep(key: ObjectKey, zipJob: ZipJob): void;
  /** The newer of the cached and the kept object. */
  newest(key: ObjectKey, cached: ZipJob): ZipJob;
  refusal(key: ObjectKey): Refusal | undefined;
  refused(key: ObjectKey, refusal: Refusal): void;
  accepted(key: ObjectKey): void;
  forget(key: ObjectKey): void;
}

export const createMemory = (): Memory => {
  const written = new Map<ObjectKey, ZipJob>();
  const refusals = new Map<ObjectKey, Refusal>();
  return {
    keep: (key, zipJob) => {
      written.set(key, zipJob);
    },
    newest: (key, cached) => {
      const own = written.get(key);
      const isSame = own?.metadata.uid === cached.metadata.uid;
      if (own && isSame && isOlderVersion(cached.metadata.resourceVersion, own.metadata.resourceVersion))
        return own;
      written.delete(key);
      return cached;
    },
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
