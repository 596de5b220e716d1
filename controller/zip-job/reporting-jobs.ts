import { hasActivePod, isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Change, ObjectKey } from '#runtime/kube/types.ts';

/** The unfinished jobs with an active pod: each writes its progress. */
export interface ReportingJobs {
  see(change: Change<ZipJob>): void;
  readonly count: number;
}

export function createReportingJobs(): ReportingJobs {
  const keys = new Set<ObjectKey>();
  return {
    see: (change) => {
      const reports = change.kind === 'set' && !isFinished(change.object) && hasActivePod(change.object);
      if (reports) keys.add(change.key);
      else keys.delete(change.key);
    },
    get count() {
      return keys.size;
    },
  };
}
