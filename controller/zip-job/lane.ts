import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { isResting } from '../cluster/skeletons.ts';
import type { Lane } from '../reconciling/lanes.ts';
import { hasStarted } from './owned-status.ts';

/** True if the active zipper wrote its result or failure, which the controller has not finished yet. */
function isEnding(zipJob: ZipJob): boolean {
  const { result, failure } = zipJob.status ?? {};
  return !isFinished(zipJob) && hasStarted(zipJob) && (result ?? failure) !== undefined;
}

/** A caller waits for the end of a job, so it goes before jobs that start or report progress. */
export function laneOfChange(zipJob: ZipJob | undefined): Lane {
  return zipJob && isEnding(zipJob) ? 'end' : 'change';
}

/** A deletion that is due waits behind the jobs that run. */
export function laneWhenDue(zipJob: ZipJob | undefined): Lane {
  return zipJob && isResting(zipJob) ? 'resync' : laneOfChange(zipJob);
}
