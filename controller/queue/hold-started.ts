import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { isOwnedBy } from '../cluster/ownership.ts';
import type { Ledger } from './ledger.ts';

/** After a failover the Job may be in the cache before the status refers to it. Call this when either changes. */
export function holdStarted(
  ledger: Pick<Ledger, 'hold'>,
  zipJob: ZipJob | undefined,
  job: Job | undefined,
): void {
  if (zipJob && job && !isFinished(zipJob) && isOwnedBy(job, zipJob)) ledger.hold(zipJob);
}
