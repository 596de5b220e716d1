import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import { timeOf } from './times.ts';

/** Why a finalizer was removed by force, before its work was done. */
export type ForcedRemoval = 'NamespaceTerminating' | 'Overdue' | 'Forced';

export function isLeaving({ deletionTimestamp }: Pick<ObjectMeta, 'deletionTimestamp'>): boolean {
  return deletionTimestamp !== undefined;
}

/** True for a bucket whose deletion does not wait for its jobs. */
export function isForced({ annotations }: Pick<ObjectMeta, 'annotations'>): boolean {
  const value = annotations?.[ANNOTATIONS.forceDelete];
  return value !== undefined && value !== 'false';
}

/** Deadline for the deletion of an object; undefined if it is not being deleted. */
export function gracePeriodEnds(
  { deletionTimestamp }: Pick<ObjectMeta, 'deletionTimestamp'>,
  gracePeriodMs: number,
): Date | undefined {
  const since = timeOf(deletionTimestamp);
  return since === undefined ? undefined : new Date(since + gracePeriodMs);
}
