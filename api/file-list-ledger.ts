import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Change } from '#runtime/kube/types.ts';
import { fileListsFull } from './api-error.ts';

export interface FileListLedgerDeps {
  readonly clock: Clock;
  /** Most compressed bytes of file lists that a project may have stored at a time. */
  readonly maxBytes: number;
}

/** How many bytes of file lists each project has in Secrets, as the watch and this process's own creates tell. */
export interface FileListLedger {
  /** A change of a cached ZipJob. */
  note(change: Change<ZipJob>): void;
  /**
   * Counts the list of a job that is about to be created; a job that is counted already passes.
   * @throws ApiError file_lists_full when the project would have more than it may
   */
  admit(namespace: string, name: string, bytes: number): void;
  /** The job did not come to be. */
  forget(namespace: string, name: string): void;
  /** Projects with stored lists, and their bytes. */
  totals(): IterableIterator<[namespace: string, bytes: number]>;
}

/** By then the watch has told of a job that was created, or will never. */
const PENDING_MS = 60_000;

interface Pending {
  readonly namespace: string;
  readonly bytes: number;
  readonly until: number;
}

const bytesOf = (job: ZipJob): number => {
  const { annotations = {} } = job.metadata;
  if (annotations[ANNOTATIONS.fileListDeletedAt] !== undefined) return 0;
  const bytes = Number(annotations[ANNOTATIONS.fileListBytes] ?? 0);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0;
};

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
      const bytes = change.kind === 'set' ? bytesOf(job) : 0;
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
