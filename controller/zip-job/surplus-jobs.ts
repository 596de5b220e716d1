import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit } from '#crds/zip-job-facts.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import { type Change, namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import { cachedBytesOf } from '../kube-state/skeletons.ts';
import { timeOf } from '../kube-state/times.ts';

export interface SurplusJobsOptions {
  /** The limits in force for the project of a namespace. */
  readonly limitsOf: (namespace: string) => Pick<ProjectLimits, 'storedJobs' | 'storedBytes'>;
  /** A finished job is kept for at least this time. */
  readonly fullProjectTtlSeconds: number;
  readonly clock: Clock;
  /** Ends the timers, which would keep the process alive. */
  readonly signal: AbortSignal;
  /** Called with the jobs of a project that become surplus. */
  readonly onSurplus: (namespace: string, keys: readonly ObjectKey[]) => void;
}

/** The finished jobs that a nearly full project deletes before their time, so that it can accept new ones. */
export interface SurplusJobs {
  see(change: Change<ZipJob>): void;
  isSurplus(key: ObjectKey): boolean;
  /** Chooses again after the limits of a project changed. */
  refresh(namespace: string): void;
}

/** Deletion starts here, so that a project is not full while its oldest jobs are being deleted. */
const HIGH_SHARE = 0.9;
/** Changes of this time are handled together. */
const BATCH_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;

interface StoredJob {
  readonly bytes: number;
  /**
   * When the job finished (Unix seconds, which V8 stores without an object of their own); undefined before that, and while
   * its webhook is pending or its pod has not exited.
   */
  readonly doneAt: number | undefined;
}

interface Project {
  readonly jobs: Map<ObjectKey, StoredJob>;
  bytes: number;
  surplus: ReadonlySet<ObjectKey>;
  later: { readonly timer: Disposable; readonly atMs: number } | undefined;
}

interface Excess {
  readonly jobs: number;
  readonly bytes: number;
}

const secondsOf = (text: string | undefined): number | undefined => {
  const ms = timeOf(text);
  return ms === undefined ? undefined : Math.ceil(ms / 1000);
};

const toStoredJob = (zipJob: ZipJob): StoredJob => ({
  bytes: cachedBytesOf(zipJob),
  doneAt:
    isFinished(zipJob) && !awaitsWebhookOrExit(zipJob) ? secondsOf(zipJob.status?.finishedAt) : undefined,
});

const isOver = ({ jobs, bytes }: Excess): boolean => jobs > 0 || bytes > 0;

class ProjectStorage implements SurplusJobs {
  readonly #options: SurplusJobsOptions;
  readonly #projects = new Map<string, Project>();

  constructor(options: SurplusJobsOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => {
      for (const { later } of this.#projects.values()) later?.timer[Symbol.dispose]();
    });
  }

  see(change: Change<ZipJob>): void {
    const object = change.kind === 'set' ? change.object : change.before;
    const { namespace } = object.metadata;
    const project = this.#projects.get(namespace) ?? this.#add(namespace);
    const before = project.jobs.get(change.key);
    project.bytes -= before?.bytes ?? 0;
    if (change.kind === 'set') {
      const stored = toStoredJob(change.object);
      project.jobs.set(change.key, stored);
      project.bytes += stored.bytes;
    } else project.jobs.delete(change.key);
    if (project.jobs.size === 0) this.#forget(namespace, project);
    else if (isOver(this.#excess(namespace, project))) this.#chooseAfter(BATCH_MS, namespace, project);
  }

  isSurplus(key: ObjectKey): boolean {
    return this.#projects.get(namespaceOf(key))?.surplus.has(key) ?? false;
  }

  refresh(namespace: string): void {
    const project = this.#projects.get(namespace);
    if (project) this.#choose(namespace, project);
  }

  #add(namespace: string): Project {
    const project: Project = { jobs: new Map(), bytes: 0, surplus: new Set(), later: undefined };
    this.#projects.set(namespace, project);
    return project;
  }

  #forget(namespace: string, { later }: Project): void {
    later?.timer[Symbol.dispose]();
    this.#projects.delete(namespace);
  }

  #excess(namespace: string, { jobs, bytes }: Project): Excess {
    const { storedJobs, storedBytes } = this.#options.limitsOf(namespace);
    return { jobs: jobs.size - storedJobs * HIGH_SHARE, bytes: bytes - storedBytes * HIGH_SHARE };
  }

  /** Keeps an earlier timer. */
  #chooseAfter(delayMs: number, namespace: string, project: Project): void {
    const { clock, signal } = this.#options;
    if (signal.aborted) return;
    const atMs = clock.monotonicMs() + delayMs;
    if (project.later && project.later.atMs <= atMs) return;
    project.later?.timer[Symbol.dispose]();
    project.later = { atMs, timer: clock.after(delayMs, () => this.#choose(namespace, project)) };
  }

  /** Chooses the oldest finished jobs, and again later for as long as the project stores too much. */
  #choose(namespace: string, project: Project): void {
    project.later?.timer[Symbol.dispose]();
    project.later = undefined;
    const { clock, fullProjectTtlSeconds, onSurplus } = this.#options;
    const before = project.surplus;
    let excess = this.#excess(namespace, project);
    if (!isOver(excess)) {
      project.surplus = new Set();
      return;
    }
    const doneBeforeMs = clock.date().getTime() - fullProjectTtlSeconds * 1000;
    const surplus = new Set<ObjectKey>();
    for (const [key, { bytes }] of oldestFirst(project, doneBeforeMs)) {
      if (!isOver(excess)) break;
      surplus.add(key);
      excess = { jobs: excess.jobs - 1, bytes: excess.bytes - bytes };
    }
    project.surplus = surplus;
    this.#chooseAfter(nextOldMs(project, doneBeforeMs), namespace, project);
    const added = [...surplus].filter((key) => !before.has(key));
    if (added.length > 0) onSurplus(namespace, added);
  }
}

/** When the next job will be old enough. */
const nextOldMs = ({ jobs }: Project, doneBeforeMs: number): number => {
  let waitMs = LONGEST_WAIT_MS;
  for (const { doneAt = -Infinity } of jobs.values())
    if (doneAt * 1000 > doneBeforeMs) waitMs = Math.min(waitMs, doneAt * 1000 - doneBeforeMs);
  return Math.max(BATCH_MS, waitMs);
};

const oldestFirst = ({ jobs }: Project, doneBeforeMs: number): readonly (readonly [ObjectKey, StoredJob])[] =>
  [...jobs]
    .filter(([, { doneAt }]) => doneAt !== undefined && doneAt * 1000 <= doneBeforeMs)
    .sort(([, a], [, b]) => (a.doneAt ?? 0) - (b.doneAt ?? 0));

export const createSurplusJobs = (options: SurplusJobsOptions): SurplusJobs => new ProjectStorage(options);
