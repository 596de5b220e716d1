import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { isOlderVersion } from '#runtime/kube/cache/object-cache.ts';
import { type Change, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { Refusal } from '../reconciling/refusal.ts';

/** When this process saw the current progress of a job for the first time, by its own clock. */
export interface SeenProgress {
  readonly since: Date;
  /** False if the process found it when it started, so that it may be older. */
  readonly isNew: boolean;
  /** Since when each write had an estimate far beyond the deadline. */
  readonly lateSince?: Date;
}

/**
 * State that the caches lack: objects that this process wrote, until the watch delivers them, Jobs that the API server
 * rejected, and when progress arrived, because its time comes from the clock of a zipper.
 */
export interface Memory {
  /** Keeps the response of a write or a live read. */
  keep(key: ObjectKey, zipJob: ZipJob): void;
  /** Drops an object that the cache has caught up with. */
  see(change: Change<ZipJob>): void;
  /** The newer of the cached and the kept object. */
  newest(cached: ZipJob): ZipJob;
  /** Records the progress of an unfinished job, and whether it is far too slow for the deadline. */
  seeProgress(zipJob: ZipJob, now: Date, isLate: boolean): SeenProgress;
  refusal(key: ObjectKey): Refusal | undefined;
  refused(key: ObjectKey, refusal: Refusal): void;
  accepted(key: ObjectKey): void;
  /** When the ZipCheckpoint that the API server refused is tried again. */
  checkpointRetryAt(key: ObjectKey): Date | undefined;
  refusedCheckpoint(key: ObjectKey, retryAt: Date): void;
  forget(key: ObjectKey): void;
}

interface KeptProgress extends SeenProgress {
  /** Tells apart the writes of all zippers of the job. */
  readonly write: string;
}

function writeOf({ metadata, status }: ZipJob): string {
  return JSON.stringify([metadata.uid, status?.progress]);
}

/** What the API server refused: Jobs and ZipCheckpoints. */
function createRefusals() {
  const refusals = new Map<ObjectKey, Refusal>();
  const checkpoints = new Map<ObjectKey, Date>();
  const refused: Omit<Memory, 'keep' | 'see' | 'newest' | 'seeProgress' | 'forget'> = {
    refusal: (key) => refusals.get(key),
    refused: (key, refusal) => {
      refusals.set(key, refusal);
    },
    accepted: (key) => {
      refusals.delete(key);
    },
    checkpointRetryAt: (key) => checkpoints.get(key),
    refusedCheckpoint: (key, retryAt) => {
      checkpoints.set(key, retryAt);
    },
  };
  return { refusals, checkpoints, refused };
}

/** `cached` returns a ZipJob from the cache. */
export function createMemory(cached: (key: ObjectKey) => ZipJob | undefined): Memory {
  const written = new Map<ObjectKey, ZipJob>();
  const progress = new Map<ObjectKey, KeptProgress>();
  const { refusals, checkpoints, refused } = createRefusals();
  function newest(seen: ZipJob): ZipJob {
    const own = written.get(objectKey(seen));
    const isSame = own?.metadata.uid === seen.metadata.uid;
    return own && isSame && isOlderVersion(seen.metadata.resourceVersion, own.metadata.resourceVersion)
      ? own
      : seen;
  }
  function dropOld(key: ObjectKey, seen: ZipJob | undefined): void {
    if (!seen || newest(seen) === seen) written.delete(key);
  }
  return {
    keep: (key, zipJob) => {
      written.set(key, zipJob);
      // The watch may have delivered the object before the response arrived.
      dropOld(key, cached(key));
    },
    see: (change) => {
      dropOld(change.key, change.kind === 'set' ? change.object : undefined);
      if (change.kind === 'set' && !isFinished(change.object)) return;
      progress.delete(change.key);
      checkpoints.delete(change.key);
    },
    newest,
    seeProgress: (zipJob, now, isLate) => {
      const key = objectKey(zipJob);
      const write = writeOf(zipJob);
      const known = progress.get(key);
      if (known?.write === write) return known;
      const late = isLate && { lateSince: known?.lateSince ?? now };
      const seen = { write, since: now, isNew: known !== undefined, ...late };
      progress.set(key, seen);
      return seen;
    },
    ...refused,
    forget: (key) => {
      checkpoints.delete(key);
      written.delete(key);
      progress.delete(key);
      refusals.delete(key);
    },
  };
}
