import { projectKey } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { policyIn } from '#runtime/kube/client/policy-refusal.ts';
import { type Change, namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';

/** The unfinished jobs of each project whose Job or pod an admission policy of the cluster refuses. */
export interface RefusedJobs {
  see(change: Change<ZipJob>): void;
  /** What the API server said of the job that was refused first; undefined if none is refused. */
  of(namespace: string): string | undefined;
}

function refusalIn(zipJob: ZipJob): string | undefined {
  const waiting = findCondition(zipJob.status?.conditions, 'Waiting');
  const isRefused =
    !isFinished(zipJob) && waiting?.status === 'True' && policyIn(waiting.message) !== undefined;
  return isRefused ? waiting.message : undefined;
}

/** Calls `onProject` with the key of a project whose first refusal changes. */
export function createRefusedJobs(onProject: (key: ObjectKey) => void): RefusedJobs {
  const refused = new Map<string, Map<ObjectKey, string>>();
  function of(namespace: string): string | undefined {
    return refused.get(namespace)?.values().next().value;
  }
  function note(namespace: string, key: ObjectKey, refusal: string | undefined): void {
    const jobs = refused.get(namespace) ?? new Map<ObjectKey, string>();
    if (refusal === undefined) jobs.delete(key);
    else jobs.set(key, jobs.get(key) ?? refusal);
    if (jobs.size === 0) refused.delete(namespace);
    else refused.set(namespace, jobs);
  }
  return {
    see: (change) => {
      const namespace = namespaceOf(change.key);
      const before = of(namespace);
      note(namespace, change.key, change.kind === 'set' ? refusalIn(change.object) : undefined);
      if (of(namespace) !== before) onProject(projectKey(namespace));
    },
    of,
  };
}
