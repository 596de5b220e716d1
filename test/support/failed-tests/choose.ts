/** Chooses the namespaces and ZipJobs that may explain a failed test. */
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { isSince, lastChange, type TestWindow } from './test-window.ts';

export interface ListedNamespace {
  readonly name: string;
  readonly createdAt: number;
  /** Time of the latest change of its ZipJobs; 0 without any. */
  readonly changedAt: number;
}

/**
 * First namespaces that the test's file created, then those with ZipJobs that changed while the test ran; the
 * latest change first.
 */
export const chooseNamespaces = (
  all: readonly ListedNamespace[],
  { fileFrom, from }: TestWindow,
  most: number,
): readonly string[] => {
  const isOwn = ({ createdAt }: ListedNamespace): boolean => isSince(fileFrom, createdAt);
  const latest = ({ createdAt, changedAt }: ListedNamespace): number => Math.max(createdAt, changedAt);
  return all
    .filter((one) => isOwn(one) || (one.changedAt > 0 && isSince(from, one.changedAt)))
    .sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || latest(b) - latest(a))
    .slice(0, most)
    .map(({ name }) => name);
};

/** Sort order by relevance: 0 changed while the test ran and did not succeed; 3 is not shown. */
const rankOf = (zipJob: ZipJob, { from }: TestWindow): number => {
  const changed = isSince(from, lastChange(zipJob.metadata));
  const succeeded = isFinished(zipJob) && zipJob.status?.phase === 'Succeeded';
  if (succeeded) return changed ? 2 : 3;
  return changed ? 0 : 1;
};

/**
 * First failed and unfinished ZipJobs, then those that succeeded while the test ran; the latest change first.
 */
export const chooseZipJobs = (all: readonly ZipJob[], window: TestWindow, most: number): readonly ZipJob[] =>
  all
    .map((zipJob) => ({ zipJob, rank: rankOf(zipJob, window), changedAt: lastChange(zipJob.metadata) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || b.changedAt - a.changedAt)
    .slice(0, most)
    .map(({ zipJob }) => zipJob);
