import { FINALIZER } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ActOptions } from './act-options.ts';
import type { Fresh } from './outcome.ts';
import { patchMetadata } from './versioned-write.ts';

export const addFinalizer = (options: ActOptions, zipJob: ZipJob): Promise<Fresh> =>
  patchMetadata(options, zipJob, { finalizers: [...(zipJob.metadata.finalizers ?? []), FINALIZER] });

export const removeFinalizer = async (options: ActOptions, zipJob: ZipJob): Promise<Fresh> => {
  const finalizers = zipJob.metadata.finalizers ?? [];
  if (!finalizers.includes(FINALIZER)) return { zipJob };
  return patchMetadata(options, zipJob, { finalizers: finalizers.filter((name) => name !== FINALIZER) });
};
