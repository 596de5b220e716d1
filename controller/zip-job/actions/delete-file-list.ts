import { ANNOTATIONS } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import { jobFacts } from '../job-facts.ts';
import type { ActOptions } from './act-options.ts';
import type { Fresh } from './outcome.ts';
import { patchMetadata } from './versioned-write.ts';

/** Deletes the Secrets of the file list by name, and records it so that they are not deleted again. */
export async function deleteFileList(
  options: ActOptions,
  zipJob: ZipJob,
  secretNames: readonly string[],
): Promise<Fresh> {
  const { namespace } = zipJob.metadata;
  for (const name of secretNames) {
    try {
      await options.secrets.delete(namespace, name);
    } catch (error) {
      if (!isKubeError(error, 'Forbidden')) throw error;
      options.log.warn({ err: error, ...jobFacts(zipJob) }, 'no permission to delete a file list');
    }
  }
  const deletedAt = rfc3339(options.clock.date());
  return patchMetadata(options, zipJob, { annotations: { [ANNOTATIONS.fileListDeletedAt]: deletedAt } });
}
