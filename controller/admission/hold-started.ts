import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { isOwnedBy } from '../kube-state/job-state.ts';
import type { Ledger } from './ledger.ts';

/** The Job of a job may be known before its status shows it, as after a change of leaders. Call it when either appears. */
export const holdStarted = (
  ledger: Pick<Ledger, 'hold'>,
  zipJob: ZipJob | undefined,
  job: Job | undefined,
): void => {
  if (zipJob && job && !isFinished(zipJob) && isOwnedBy(job, zipJob)) ledger.hold(zipJob);
};
