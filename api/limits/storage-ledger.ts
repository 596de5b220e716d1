import type { ProjectLimits } from '#crds/zip-project.ts';
import type { Change } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { type ApiError, fileListsFull, storedBytesFull, storedJobsFull } from '../errors/api-error.ts';
import type { CachedJob } from './cached-job.ts';

/** What the jobs of a project occupy in the store of the API server. */
export interface Storage {
  readonly jobs: number;
  /** Bytes of the jobs and their file lists. */
  readonly bytes: number;
  /** Compressed bytes of the file lists. */
  readonly fileListBytes: number;
}

export type StorageLimits = Pick<ProjectLimits, 'storedJobs' | 'storedBytes'>;

/** A job to be created. */
export interface NewJob {
  readonly namespace: string;
  readonly name: string;
  readonly bytes: number;
  readonly fileListBytes: number;
}

export interface StorageLedgerDeps {
  readonly clock: Clock;
  readonly maxFileListBytes: number;
}

/** Tracks what each project stores, from the watch and from this process's own creates. */
export interface StorageLedger {
  /** Records a change of a cached ZipJob. */
  note(change: Change<CachedJob>): void;
  /**
   * Counts a job before it is created, once for all requests that create it at the same time. Returns the reason for refusing
   * it if the project would exceed a limit.
   */
  admit(job: NewJob, limits: StorageLimits): ApiError | undefined;
  /** Ends an admitted request that did not create its job. The job is removed once no request can create it. */
  forget(namespace: string, name: string): void;
  /** Projects that store jobs. */
  totals(): IterableIterator<[namespace: string, stored: Storage]>;
}

/** By then, the watch has reported a created job. */
const PENDING_MS = 60_000;

const NOTHING: Storage = { jobs: 0, bytes: 0, fileListBytes: 0 };

function sum(one: Storage, other: Storage, sign: 1 | -1 = 1): Storage {
  return {
    jobs: one.jobs + sign * other.jobs,
    bytes: one.bytes + sign * other.bytes,
    fileListBytes: one.fileListBytes + sign * other.fileListBytes,
  };
}

function storageOf({ bytes, fileListBytes = 0 }: Pick<CachedJob, 'bytes' | 'fileListBytes'>): Storage {
  return {
    jobs: 1,
    bytes,
    fileListBytes,
  };
}

interface Pending {
  readonly namespace: string;
  readonly storage: Storage;
  readonly until: number;
  /** Requests that may still create the job: with the same Idempotency-Key, they have the same name. */
  readonly requests: number;
}

/** Sums by project. Projects without jobs have no entry. */
function createTotals() {
  const totals = new Map<string, Storage>();
  function of(namespace: string): Storage {
    return totals.get(namespace) ?? NOTHING;
  }
  return {
    of,
    add: (namespace: string, storage: Storage, sign: 1 | -1): void => {
      const total = sum(of(namespace), storage, sign);
      if (total.jobs > 0) totals.set(namespace, total);
      else totals.delete(namespace);
    },
    entries: () => totals.entries(),
  };
}

function refusalOf(
  total: Storage,
  { storedJobs, storedBytes, maxFileListBytes }: StorageLimits & { readonly maxFileListBytes: number },
): ApiError | undefined {
  if (total.fileListBytes > maxFileListBytes) return fileListsFull(maxFileListBytes);
  if (total.jobs > storedJobs) return storedJobsFull(storedJobs);
  return total.bytes > storedBytes ? storedBytesFull(storedBytes) : undefined;
}

/** Jobs that requests of this process are creating. */
function createPendingJobs(clock: Clock, totals: ReturnType<typeof createTotals>) {
  /** Oldest first. */
  const pending = new Map<string, Pending>();
  function drop(key: string): void {
    const known = pending.get(key);
    if (known === undefined) return;
    pending.delete(key);
    totals.add(known.namespace, known.storage, -1);
  }
  /** False if the job is not pending. */
  function count(key: string, requests: 1 | -1): boolean {
    const known = pending.get(key);
    if (known !== undefined) pending.set(key, { ...known, requests: known.requests + requests });
    return known !== undefined;
  }
  return {
    drop,
    join: (key: string): boolean => count(key, 1),
    leave: (key: string): void => {
      count(key, -1);
      if (pending.get(key)?.requests === 0) drop(key);
    },
    add: (key: string, job: Pick<Pending, 'namespace' | 'storage'>): void => {
      pending.set(key, { ...job, until: clock.monotonicMs() + PENDING_MS, requests: 1 });
      totals.add(job.namespace, job.storage, 1);
    },
    expire: (): void => {
      const now = clock.monotonicMs();
      for (const [key, { until }] of pending) {
        if (until > now) return;
        drop(key);
      }
    },
  };
}

export function createStorageLedger({ clock, maxFileListBytes }: StorageLedgerDeps): StorageLedger {
  const totals = createTotals();
  const stored = new Map<string, Storage>();
  const pending = createPendingJobs(clock, totals);

  return {
    note: (change) => {
      const job = change.kind === 'set' ? change.object : change.before;
      const { namespace } = job.metadata;
      pending.drop(change.key);
      const before = stored.get(change.key);
      if (before) totals.add(namespace, before, -1);
      stored.delete(change.key);
      if (change.kind === 'deleted') return;
      const storage = storageOf(job);
      stored.set(change.key, storage);
      totals.add(namespace, storage, 1);
    },
    admit: ({ namespace, name, ...job }, limits) => {
      pending.expire();
      const key = `${namespace}/${name}`;
      if (stored.has(key) || pending.join(key)) return undefined;
      const storage = storageOf(job);
      const refused = refusalOf(sum(totals.of(namespace), storage), { ...limits, maxFileListBytes });
      if (refused) return refused;
      pending.add(key, { namespace, storage });
      return undefined;
    },
    forget: (namespace, name) => {
      pending.leave(`${namespace}/${name}`);
    },
    totals: () => totals.entries(),
  };
}
