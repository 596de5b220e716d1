import { ANNOTATIONS, LABELS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { timeOf } from '../../cluster/times.ts';

/**
 * True if this ZipJob is a copy of an earlier one, restored from a backup. A copy has the annotations and labels of the
 * earlier one, but its own uid and creation time, and usually no status. Its archive must not be built a second time.
 */
export function isRestored(
  { metadata }: Pick<ZipJob, 'metadata'>,
  settings: { readonly restoredAfterSeconds: number },
): boolean {
  const { uid, annotations, labels, creationTimestamp } = metadata;
  const acceptedUid = annotations?.[ANNOTATIONS.acceptedUid];
  if (acceptedUid !== undefined) return acceptedUid !== uid;
  if (labels?.[LABELS.veleroRestore] !== undefined) return true;
  const acceptedAt = timeOf(annotations?.[ANNOTATIONS.acceptedAt]);
  const createdAt = timeOf(creationTimestamp);
  if (acceptedAt === undefined || createdAt === undefined) return false;
  return createdAt - acceptedAt > settings.restoredAfterSeconds * 1000;
}

/** The annotation by which a copy of this ZipJob is recognised. */
export function acceptance({ metadata }: Pick<ZipJob, 'metadata'>): Readonly<Record<string, string>> {
  const { uid, annotations } = metadata;
  return uid === undefined || annotations?.[ANNOTATIONS.acceptedUid] !== undefined
    ? {}
    : { [ANNOTATIONS.acceptedUid]: uid };
}

/**
 * True if nothing else says that a copy is one: without the time of acceptance, which only the API sets, a copy of this
 * ZipJob looks like a new one.
 */
export function lacksRecord({ metadata: { annotations } }: Pick<ZipJob, 'metadata'>): boolean {
  return (
    annotations?.[ANNOTATIONS.acceptedUid] === undefined &&
    annotations?.[ANNOTATIONS.acceptedAt] === undefined
  );
}
