import type { Phase, ZipJob } from '#crds/zip-job.ts';
import type { Change } from '#runtime/kube/types.ts';
import { isResting } from './skeletons.ts';

/** How many ZipJobs are at rest, by project and phase. Reading a hundred thousand of them from the cache takes 0.3 s. */
export interface RestingCounts {
  see(change: Change<ZipJob>): void;
  /** Without zeros. */
  counts(): Iterable<RestingCount>;
}

export interface RestingCount {
  readonly project: string;
  readonly phase: Phase;
  readonly count: number;
}

type Counts = Map<Phase, number>;

function* flat(byProject: ReadonlyMap<string, Counts>): Generator<RestingCount> {
  for (const [project, byPhase] of byProject)
    for (const [phase, count] of byPhase) yield { project, phase, count };
}

export function createRestingCounts(): RestingCounts {
  const byProject = new Map<string, Counts>();
  function note(zipJob: ZipJob | undefined, by: 1 | -1): void {
    if (!zipJob || !isResting(zipJob)) return;
    const { phase } = zipJob.status;
    if (phase === undefined) return;
    const { namespace } = zipJob.metadata;
    const counts = byProject.get(namespace) ?? new Map<Phase, number>();
    const count = (counts.get(phase) ?? 0) + by;
    if (count === 0) counts.delete(phase);
    else counts.set(phase, count);
    if (counts.size === 0) byProject.delete(namespace);
    else byProject.set(namespace, counts);
  }
  return {
    see: (change) => {
      if (change.kind === 'set') note(change.object, 1);
      note(change.before, -1);
    },
    counts: () => flat(byProject),
  };
}
