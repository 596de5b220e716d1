import { findCondition, type Reason } from '#crds/conditions.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';

const OUTDATED: Reason = 'ArchiveOutdated';
const DELETED: Reason = 'Deleted';

/**
 * What the history has of a finished ZipJob: nothing, an earlier version of its status, or its status as it is. `refused`: the
 * history cannot have it.
 */
export type ArchiveState = 'none' | 'outdated' | 'stored' | 'refused';

export function archiveStateOf({ status }: Pick<ZipJob, 'status'>): ArchiveState {
  const condition = findCondition(status?.conditions, 'Archived');
  if (!condition) return 'none';
  if (condition.status !== 'True') return 'refused';
  return condition.reason === OUTDATED ? 'outdated' : 'stored';
}

/** The API deletes a job whose file list it could not store, and a caller may repeat that request. Nothing of it is history. */
function wasNeverAJob({ status }: Pick<ZipJob, 'status'>): boolean {
  return status?.reason === DELETED && status.job === undefined;
}

/** Whether the history still has to store this ZipJob as it is. */
export function lacksArchive(zipJob: Pick<ZipJob, 'status'>): boolean {
  const state = archiveStateOf(zipJob);
  return isFinished(zipJob) && (state === 'none' || state === 'outdated') && !wasNeverAJob(zipJob);
}
