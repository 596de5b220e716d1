import { FINALIZER } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ForcedRemoval } from '../../kube-state/release.ts';
import type { ActOptions } from './act-options.ts';
import type { Fresh } from './outcome.ts';
import { patchMetadata } from './versioned-write.ts';

export const addFinalizer = (options: ActOptions, zipJob: ZipJob): Promise<Fresh> =>
  patchMetadata(options, zipJob, { finalizers: [...(zipJob.metadata.finalizers ?? []), FINALIZER] });

/** `early` is the reason of a forced finalizer removal, which is counted. */
export const removeFinalizer = async (
  options: ActOptions,
  zipJob: ZipJob,
  forced?: ForcedRemoval,
): Promise<Fresh> => {
  const finalizers = zipJob.metadata.finalizers ?? [];
  if (!finalizers.includes(FINALIZER)) return { zipJob };
  const rest = finalizers.filter((name) => name !== FINALIZER);
  const fresh = await patchMetadata(options, zipJob, { finalizers: rest });
  if ('zipJob' in fresh && forced) options.metrics.finalizersReleased.inc({ kind: 'ZipJob', reason: forced });
  return fresh;
};
