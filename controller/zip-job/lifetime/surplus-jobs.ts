import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit } from '#crds/zip-job-facts.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import { type Change, namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { archiveStateOf } from '../../cluster/archive-state.ts';
import { cachedBytesOf } from '../../cluster/skeletons.ts';
import { timeOf } from '../../cluster/times.ts';
import type { ControllerConfig } from '../../config/config.ts';
import { awaitsArchive, hasHistory } from '../policies/archiving.ts';

export interface SurplusJobsOptions {
  /** The limits in force for the project of a namespace. */
  readonly limitsOf: (namespace: string) => Pick<ProjectLimits, 'storedJobs' | 'storedBytes'>;
  /** Without a history, a finished job is kept for `fullProjectTtlSeconds` at least. */
  readonly config: Pick<ControllerConfig, 'fullProjectTtlSeconds' | 'historyHost' | 'historyWhenFull'>;
  readonly clock: Clock;
  /** Ends the timers, which would keep the process alive. */
  readonly signal: AbortSignal;
  /** Called with the jobs of a project that become surplus. */
  readonly onSurplus: (namespace: string, keys: readonly ObjectKey[]) => void;
}

/**
 * The finished jobs that a nearly full project deletes before their time, so that it can accept new ones. Those that the history
 * has come first, also young ones; those that it lacks come last, and only with HISTORY_WHEN_FULL=drop.
 */
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

/** Why a job may be deleted early: the history has it, it is old enough, or the operator prefers new jobs to it. */
type Fate = 'archived' | 'aged' | 'dropped';

interface StoredJob {
  readonly bytes: number;
  /**
   * When the job finished (Unix seconds, which V8 stores without an object of their own); undefined before that, and while
   * its webhook is pending or its pod has not exited.
   */
  readonly doneAt: number | undefined;
  readonly fate: Fate | undefined;
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

function secondsOf(text: string | undefined): number | undefined {
  const ms = timeOf(text);
  return ms === undefined ? undefined : Math.ceil(ms / 1000);
}

function fateOf(zipJob: ZipJob, config: SurplusJobsOptions['config']): Fate | undefined {
  if (!isFinished(zipJob) || awaitsWebhookOrExit(zipJob)) return undefined;
  if (awaitsArchive(zipJob, config)) return config.historyWhenFull === 'drop' ? 'dropped' : undefined;
  return hasHistory(config) && archiveStateOf(zipJob) === 'stored' ? 'archived' : 'aged';
}

function toStoredJob(zipJob: ZipJob, config: SurplusJobsOptions['config']): StoredJob {
  const fate = fateOf(zipJob, config);
  return { bytes: cachedBytesOf(zipJob), doneAt: fate && secondsOf(zipJob.status?.finishedAt), fate };
}

function isOver({ jobs, bytes }: Excess): boolean {
  return jobs > 0 || bytes > 0;
}

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
      const stored = toStoredJob(change.object, this.#options.config);
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
    const { clock, onSurplus } = this.#options;
    const before = project.surplus;
    let excess = this.#excess(namespace, project);
    if (!isOver(excess)) {
      project.surplus = new Set();
      return;
    }
    const nowMs = clock.date().getTime();
    const ageMs = this.#options.config.fullProjectTtlSeconds * 1000;
    const surplus = new Set<ObjectKey>();
    for (const [key, { bytes }] of inOrder(project, { ageMs, nowMs })) {
      if (!isOver(excess)) break;
      surplus.add(key);
      excess = { jobs: excess.jobs - 1, bytes: excess.bytes - bytes };
    }
    project.surplus = surplus;
    this.#chooseAfter(nextFreeMs(project, { ageMs, nowMs }), namespace, project);
    const added = [...surplus].filter((key) => !before.has(key));
    if (added.length > 0) onSurplus(namespace, added);
  }
}

interface At {
  readonly ageMs: number;
  readonly nowMs: number;
}

/** From when on the job may be deleted; Infinity for one that is needed. */
function freeAtMs({ doneAt, fate }: StoredJob, ageMs: number): number {
  return doneAt === undefined ? Infinity : doneAt * 1000 + (fate === 'aged' ? ageMs : 0);
}

/** When the next job will be old enough. */
function nextFreeMs({ jobs }: Project, { ageMs, nowMs }: At): number {
  let waitMs = LONGEST_WAIT_MS;
  for (const job of jobs.values()) {
    const atMs = freeAtMs(job, ageMs);
    if (atMs > nowMs) waitMs = Math.min(waitMs, atMs - nowMs);
  }
  return Math.max(BATCH_MS, waitMs);
}

function inOrder({ jobs }: Project, { ageMs, nowMs }: At): readonly (readonly [ObjectKey, StoredJob])[] {
  return [...jobs]
    .filter(([, job]) => freeAtMs(job, ageMs) <= nowMs)
    .sort(
      ([, a], [, b]) =>
        Number(a.fate === 'dropped') - Number(b.fate === 'dropped') || (a.doneAt ?? 0) - (b.doneAt ?? 0),
    );
}

export function createSurplusJobs(options: SurplusJobsOptions): SurplusJobs {
  return new ProjectStorage(options);
}
