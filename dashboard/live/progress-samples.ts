import type { ZipJob } from '#crds/zip-job.ts';
import type { Change, ObjectKey } from '#runtime/kube/types.ts';

/** Where a job stood at a time. */
export interface Sample {
  readonly atMs: number;
  readonly filesDone: number;
  readonly bytesRead: number;
}

/** What this replica has seen of the progress of jobs: the API server keeps only where each stands now. */
export interface ProgressSamples {
  note(change: Change<ZipJob>): void;
  /** The oldest first; empty for a job whose progress was not seen. */
  of(key: ObjectKey): readonly Sample[];
}

/** Of each job so many are kept; every second one goes when there are more, so that they reach from begin to end. */
const MAX_SAMPLES = 64;
/** Of so many jobs; the one that has not moved for longest goes first. */
const MAX_JOBS = 2_000;

const sampleOf = ({ status }: ZipJob): Sample | undefined => {
  const progress = status?.progress;
  if (progress === undefined) return undefined;
  const { updatedAt, filesDone, bytesRead } = progress;
  return { atMs: Date.parse(updatedAt), filesDone, bytesRead };
};

const thinned = (samples: readonly Sample[]): readonly Sample[] =>
  samples.length <= MAX_SAMPLES ? samples : samples.filter((_, index) => index % 2 === 0);

export const createProgressSamples = (): ProgressSamples => {
  const jobs = new Map<ObjectKey, readonly Sample[]>();
  const keep = (key: ObjectKey, sample: Sample): void => {
    const before = jobs.get(key) ?? [];
    const last = before.at(-1);
    if (last !== undefined && sample.atMs <= last.atMs) return;
    // Another attempt begins anew.
    const isAnew = last !== undefined && sample.bytesRead < last.bytesRead;
    jobs.delete(key);
    jobs.set(key, thinned([...(isAnew ? [] : before), sample]));
    const [oldest] = jobs.keys();
    if (jobs.size > MAX_JOBS && oldest !== undefined) jobs.delete(oldest);
  };
  return {
    note: (change) => {
      if (change.kind === 'deleted') {
        jobs.delete(change.key);
        return;
      }
      const sample = sampleOf(change.object);
      if (sample !== undefined && Number.isFinite(sample.atMs)) keep(change.key, sample);
    },
    of: (key) => jobs.get(key) ?? [],
  };
};
