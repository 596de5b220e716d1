import {
  entryKey,
  MAX_REFUSED,
  MAX_REQUEST_IDS,
  REFUSED_TTL_MS,
  type RefusedEntry,
} from '#runtime/refused-requests/refused-request.ts';
import type { Clock } from '#runtime/time/clock.ts';

/** One refused request. */
export interface Refusal
  extends Pick<RefusedEntry, 'token' | 'method' | 'route' | 'status' | 'code' | 'param'> {
  readonly projectUid: string;
  readonly requestId: string;
}

export interface ChangedEntry {
  readonly projectUid: string;
  readonly entry: RefusedEntry;
}

/** The refused requests of each project in the memory of this process. */
export interface RefusedLog {
  note(refusal: Refusal): void;
  of(projectUid: string): readonly RefusedEntry[];
  /** Entries that changed since they were taken, at most this many. */
  takeChanged(max: number): readonly ChangedEntry[];
  /** Takes these again next time, unless they have changed again. */
  putBack(changed: readonly ChangedEntry[]): void;
  /** Estimated memory, in bytes. */
  readonly bytes: number;
}

/** Most projects with entries; those without a refusal for the longest time are forgotten. */
export const MAX_REFUSED_PROJECTS = 10_000;
/** Memory for the entries of all projects, in bytes. */
export const MAX_REFUSED_BYTES = 16 * 1_024 * 1_024;
/** Share of the memory that is left after entries were dropped, so that this happens rarely. */
const KEPT_SHARE = 0.9;

/** An entry with its key and its places in maps, and one request ID, in the memory of V8. */
const ENTRY_BYTES = 640;
const ID_BYTES = 96;

interface Project {
  /** By key, the one that changed last at the end. */
  readonly entries: Map<string, RefusedEntry>;
  bytes: number;
}

function bytesOf({ requestIds }: RefusedEntry): number {
  return ENTRY_BYTES + requestIds.length * ID_BYTES;
}

/** The largest part of each of these sizes so that their sum fits. */
function fairPart(sizes: readonly number[], total: number): number {
  let left = total;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const part = left / (ascending.length - index);
    if (size > part) return part;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function withRequest(known: RefusedEntry, { requestId, param }: Refusal, nowMs: number): RefusedEntry {
  const requestIds = [requestId, ...known.requestIds.slice(0, MAX_REQUEST_IDS - 1)];
  return { ...known, requestIds, param, lastAtMs: nowMs, count: known.count + 1 };
}

/** Entries by project, within their limits. */
interface Entries {
  readonly bytes: number;
  find(uid: string, key: string): RefusedEntry | undefined;
  of(uid: string): readonly RefusedEntry[];
  put(uid: string, key: string, entry: RefusedEntry): void;
}

/** `onDropped` is called for each entry that was replaced or displaced. */
function createEntries(onDropped: (uid: string, key: string) => void): Entries {
  /** By uid, the one with the newest refusal at the end. */
  const projects = new Map<string, Project>();
  let total = 0;
  function grow(project: Project, bytes: number): void {
    project.bytes += bytes;
    total += bytes;
  }
  function drop(uid: string, project: Project, key: string): void {
    const entry = project.entries.get(key);
    if (entry === undefined) return;
    project.entries.delete(key);
    grow(project, -bytesOf(entry));
    onDropped(uid, key);
  }
  function dropOldest(uid: string, project: Project): void {
    for (const key of project.entries.keys()) return drop(uid, project, key);
  }
  /** Takes from the projects with the most entries, so that a busy project displaces nothing of the others. */
  function shrink(): void {
    const sizes = [...projects.values()].map(({ bytes }) => bytes);
    const part = fairPart(sizes, MAX_REFUSED_BYTES * KEPT_SHARE);
    for (const [uid, project] of projects)
      while (project.bytes > part && project.entries.size > 1) dropOldest(uid, project);
  }
  function dropOldestProject(): void {
    for (const [uid, project] of projects) {
      while (project.entries.size > 0) dropOldest(uid, project);
      projects.delete(uid);
      return;
    }
  }
  return {
    find: (uid, key) => projects.get(uid)?.entries.get(key),
    of: (uid) => [...(projects.get(uid)?.entries.values() ?? [])],
    put: (uid, key, entry) => {
      const project = projects.get(uid) ?? { entries: new Map<string, RefusedEntry>(), bytes: 0 };
      projects.delete(uid);
      projects.set(uid, project);
      drop(uid, project, key);
      project.entries.set(key, entry);
      grow(project, bytesOf(entry));
      if (project.entries.size > MAX_REFUSED) dropOldest(uid, project);
      if (projects.size > MAX_REFUSED_PROJECTS) dropOldestProject();
      if (total > MAX_REFUSED_BYTES) shrink();
    },
    get bytes() {
      return total;
    },
  };
}

export function createRefusedLog(deps: {
  readonly clock: Pick<Clock, 'date'>;
  /** Of this process. */
  readonly replica: string;
  /** Whether changes are shared, and so kept for takeChanged. */
  readonly isShared: boolean;
}): RefusedLog {
  const { clock, replica } = deps;
  const changed = new Map<string, ChangedEntry>();
  const entries = createEntries((uid, key) => changed.delete(`${uid} ${key}`));
  return {
    note: (refusal) => {
      const { projectUid, requestId, ...facts } = refusal;
      const nowMs = clock.date().getTime();
      const first = { ...facts, firstAtMs: nowMs, lastAtMs: nowMs };
      const key = entryKey(first);
      const known = entries.find(projectUid, key);
      const entry =
        known === undefined
          ? { ...first, replica, requestIds: [requestId], count: 1 }
          : withRequest(known, refusal, nowMs);
      entries.put(projectUid, key, entry);
      if (deps.isShared) changed.set(`${projectUid} ${key}`, { projectUid, entry });
    },
    of: (projectUid) => {
      const since = clock.date().getTime() - REFUSED_TTL_MS;
      return entries.of(projectUid).filter(({ lastAtMs }) => lastAtMs >= since);
    },
    takeChanged: (max) => {
      const taken = [...changed].slice(0, max);
      for (const [key] of taken) changed.delete(key);
      return taken.map(([, one]) => one);
    },
    putBack: (taken) => {
      for (const one of taken) {
        const { projectUid, entry } = one;
        const key = entryKey(entry);
        // A dropped entry, or a newer state of it, replaces this one.
        if (entries.find(projectUid, key) === entry) changed.set(`${projectUid} ${key}`, one);
      }
    },
    get bytes() {
      return entries.bytes;
    },
  };
}
