import type { Clock } from '#runtime/clock.ts';
import type { Change } from '#runtime/kube/types.ts';
import { fileListsFull } from './api-error.ts';
import type { CachedJob } from './cached-job.ts';

export interface FileListLedgerDeps {
  readonly clock: Clock;
  /** Maximum compressed bytes of stored file lists per project. */
  readonly maxBytes: number;
}

/** Tracks the bytes of stored file lists per project, from the watch and from this process's own creates. */
export interface FileListLedger {
  /** Records a change of a cached ZipJob. */
  note(change: Change<CachedJob>): void;
  /**
   * Counts the list of a job before it is created; does nothing for a job that is already counted.
   * @throws ApiError file_lists_full if the project would exceed its limit
   */
  admit(namespace: string, name: string, bytes: number): void;
  /** Removes a job that was not created. */
  forget(namespace: string, name: string): void;
  /** Projects with stored lists, and their bytes. */
  totals(): IterableIterator<[namespace: string, bytes: number]>;
}

/** By then, the watch has reported a created job. */
const PENDING_MS = 60_000;

interface Pending {
  readonly namespace: string;
  readonly bytes: number;
  readonly until: number;
}

export const createFileListLedger = ({ clock, maxBytes }: FileListLedgerDeps): FileListLedger => {
  const totals = new Map<string, number>();
  const stored = new Map<string, number>();
  /** Oldest first. */
  const pending = new Map<string, Pending>();

  const add = (namespace: string, bytes: number): void => {
    const total = (totals.get(namespace) ?? 0) + bytes;
    if (total > 0) totals.set(namespace, total);
    else totals.delete(namespace);
  };

  const forget = (namespace: string, name: string): void => {
    const key = `${namespace}/${name}`;
    const known = pending.get(key);
    if (known === undefined) return;
    pending.delete(key);
    add(namespace, -known.bytes);
  };

  const expire = (): void => {
    const now = clock.monotonicMs();
    for (const [key, { namespace, until, bytes }] of pending) {
      if (until > now) return;
      pending.delete(key);
      add(namespace, -bytes);
    }
  };

  return {
    note: (change) => {
      const job = change.kind === 'set' ? change.object : change.before;
      const { namespace, name } = job.metadata;
      forget(namespace, name);
      const before = stored.get(change.key) ?? 0;
      const bytes = change.kind === 'set' ? (job.fileListBytes ?? 0) : 0;
      if (bytes > 0) stored.set(change.key, bytes);
      else stored.delete(change.key);
      add(namespace, bytes - before);
    },
    admit: (namespace, name, bytes) => {
      expire();
      const key = `${namespace}/${name}`;
      if (stored.has(key) || pending.has(key)) return;
      if ((totals.get(namespace) ?? 0) + bytes > maxBytes) throw fileListsFull(maxBytes);
      pending.set(key, { namespace, bytes, until: clock.monotonicMs() + PENDING_MS });
      add(namespace, bytes);
    },
    forget,
    totals: () => totals.entries(),
  };
};
