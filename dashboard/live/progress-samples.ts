import type { Change, ObjectKey } from '#runtime/kube/types.ts';
import type { ListedJob } from './listed-job.ts';

/** Progress of a job at a point in time. */
export interface Sample {
  readonly atMs: number;
  readonly filesDone: number;
  readonly bytesRead: number;
}

/** Progress history that this replica has seen; the API server keeps only the latest value. */
export interface ProgressSamples {
  note(change: Change<Pick<ListedJob, 'status'>>): void;
  /** Oldest first; empty when no progress of the job was seen. */
  of(key: ObjectKey): readonly Sample[];
}

/** Most samples per job. Beyond it every second one is dropped, so that the rest still covers the whole run. */
const MAX_SAMPLES = 64;
/** Most jobs with samples; the one without progress for longest is evicted first. */
const MAX_JOBS = 2_000;

const NOTHING: Sample = { atMs: -Infinity, filesDone: 0, bytesRead: 0 };

function sampleOf({ status: { progress } }: Pick<ListedJob, 'status'>): Sample | undefined {
  if (progress === undefined) return undefined;
  const { updatedAt, filesDone, bytesRead } = progress;
  return { atMs: Date.parse(updatedAt), filesDone, bytesRead };
}

function thinned(samples: readonly Sample[]): readonly Sample[] {
  return samples.length <= MAX_SAMPLES ? samples : samples.filter((_, index) => index % 2 === 0);
}

export function createProgressSamples(): ProgressSamples {
  const jobs = new Map<ObjectKey, readonly Sample[]>();
  function keep(key: ObjectKey, sample: Sample): void {
    const before = jobs.get(key) ?? [];
    const last = before.at(-1) ?? NOTHING;
    const isLater = sample.atMs > last.atMs;
    if (!isLater && sample.bytesRead <= last.bytesRead) return;
    // A new attempt restarts at zero. A pod with a wrong clock dates its first write by it, and only later ones correctly.
    const isRestart = !isLater || sample.bytesRead < last.bytesRead;
    jobs.delete(key);
    jobs.set(key, thinned([...(isRestart ? [] : before), sample]));
    const [oldest] = jobs.keys();
    if (jobs.size > MAX_JOBS && oldest !== undefined) jobs.delete(oldest);
  }
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
}
