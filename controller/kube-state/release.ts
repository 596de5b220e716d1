import { ANNOTATIONS, FINALIZER } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import { timeOf } from './times.ts';

/** Why a finalizer was released before what it waits for was done. */
export type EarlyRelease = 'NamespaceTerminating' | 'Overdue' | 'Forced';

export const holdsFinalizer = ({ finalizers }: Pick<ObjectMeta, 'finalizers'>): boolean =>
  finalizers?.includes(FINALIZER) === true;

export const isLeaving = ({ deletionTimestamp }: Pick<ObjectMeta, 'deletionTimestamp'>): boolean =>
  deletionTimestamp !== undefined;

/** True for a bucket whose deletion shall not wait for its jobs. */
export const isForced = ({ annotations }: Pick<ObjectMeta, 'annotations'>): boolean => {
  const value = annotations?.[ANNOTATIONS.forceDelete];
  return value !== undefined && value !== 'false';
};

/** When the patience with an object that is being deleted ends; undefined for one that is not. */
export const patienceEnds = (
  { deletionTimestamp }: Pick<ObjectMeta, 'deletionTimestamp'>,
  patienceMs: number,
): Date | undefined => {
  const since = timeOf(deletionTimestamp);
  return since === undefined ? undefined : new Date(since + patienceMs);
};
