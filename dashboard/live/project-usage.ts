import type { Phase } from '#crds/zip-job.ts';
import { type Change, namespaceOf } from '#runtime/kube/types.ts';
import type { ListedJob } from './listed-job.ts';

type UsingJob = Pick<ListedJob, 'status' | 'storedBytes'>;

/** What the jobs of a project use of its limits. */
export interface Usage {
  /** Jobs that have started and not finished. */
  readonly activeJobs: number;
  readonly storedJobs: number;
  /** Of the ZipJobs and their file lists in the store of the API server. */
  readonly storedBytes: number;
}

/** The usage of each project, so that no page has to read all its jobs. */
export interface ProjectUsage {
  note(change: Change<UsingJob>): void;
  of(namespace: string): Usage;
}

/** Phases of a job that has a slot. */
export const ACTIVE_PHASES = ['Starting', 'Running', 'Finalizing'] as const satisfies readonly Phase[];
const NONE: Usage = { activeJobs: 0, storedJobs: 0, storedBytes: 0 };

function usageOf({ status: { phase }, storedBytes }: UsingJob): Usage {
  return { activeJobs: ACTIVE_PHASES.some((active) => active === phase) ? 1 : 0, storedJobs: 1, storedBytes };
}

function sum(one: Usage, other: Usage, sign: 1 | -1): Usage {
  return {
    activeJobs: one.activeJobs + sign * other.activeJobs,
    storedJobs: one.storedJobs + sign * other.storedJobs,
    storedBytes: one.storedBytes + sign * other.storedBytes,
  };
}

export function createProjectUsage(): ProjectUsage {
  const projects = new Map<string, Usage>();
  return {
    note: (change) => {
      const namespace = namespaceOf(change.key);
      const before = change.before ? usageOf(change.before) : NONE;
      const now = change.kind === 'set' ? usageOf(change.object) : NONE;
      const usage = sum(sum(projects.get(namespace) ?? NONE, now, 1), before, -1);
      if (usage.storedJobs === 0) projects.delete(namespace);
      else projects.set(namespace, usage);
    },
    of: (namespace) => projects.get(namespace) ?? NONE,
  };
}
