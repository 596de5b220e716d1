import type { Change } from '#runtime/kube/types.ts';
import { type ListedJob, reasonOf } from './listed-job.ts';

type ChosenJob = Pick<ListedJob, 'metadata' | 'spec' | 'status' | 'createdBy'>;

/** The values that filters of the job list offer, and phases for the menu. Empty values are left out. */
const VALUES = {
  /** Names of the ZipBuckets that jobs refer to. */
  bucket: ({ spec }: ChosenJob): string => spec.bucketRef.name,
  phase: ({ status }: ChosenJob): string => status.phase ?? 'Queued',
  reason: (job: ChosenJob): string => reasonOf(job),
  token: ({ createdBy = '' }: ChosenJob): string => createdBy,
} as const;
export type JobChoice = keyof typeof VALUES;
const KINDS: readonly JobChoice[] = ['bucket', 'phase', 'reason', 'token'];

/** Which values the jobs of each project have, so that no page has to read every job to offer its filters. */
export interface JobChoices {
  note(change: Change<ChosenJob>): void;
  /** Sorted. */
  of(namespace: string, kind: JobChoice): readonly string[];
  /** How many jobs have one of these values. */
  count(namespace: string, kind: JobChoice, values: readonly string[]): number;
}

type Counts = Readonly<Record<JobChoice, Map<string, number>>>;

function add(counts: Map<string, number>, value: string, by: 1 | -1): void {
  if (value === '') return;
  const count = (counts.get(value) ?? 0) + by;
  if (count > 0) counts.set(value, count);
  else counts.delete(value);
}

export function createJobChoices(): JobChoices {
  const projects = new Map<string, Counts>();
  function countsOf(namespace: string): Counts {
    const known = projects.get(namespace) ?? {
      bucket: new Map(),
      phase: new Map(),
      reason: new Map(),
      token: new Map(),
    };
    projects.set(namespace, known);
    return known;
  }
  function count(job: ChosenJob, by: 1 | -1): void {
    const { namespace } = job.metadata;
    const counts = countsOf(namespace);
    for (const kind of KINDS) add(counts[kind], VALUES[kind](job), by);
    // Every job has a bucket.
    if (counts.bucket.size === 0) projects.delete(namespace);
  }
  return {
    note: (change) => {
      // The new value is counted first, so that a project with one job is not forgotten in between.
      if (change.kind === 'set') count(change.object, 1);
      if (change.before !== undefined) count(change.before, -1);
    },
    of: (namespace, kind) => [...(projects.get(namespace)?.[kind].keys() ?? [])].toSorted(),
    count: (namespace, kind, values) =>
      values.reduce((sum, value) => sum + (projects.get(namespace)?.[kind].get(value) ?? 0), 0),
  };
}
