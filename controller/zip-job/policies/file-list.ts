import { fileListOwner, fileListSecretName } from '#crds/api-group.ts';
import type { FilesFrom, ZipJob } from '#crds/zip-job.ts';
import { isFileListDeleted } from '#crds/zip-job-facts.ts';
import { isLeaving } from '../../kube-state/release.ts';

/** Why a rerun cannot use the file list of this job. */
function ownerFault(owner: ZipJob, name: string, wanted: FilesFrom): string | undefined {
  const { metadata, spec } = owner;
  // The cache drops the list of such a job.
  if (isLeaving(metadata) || isFileListDeleted({ metadata }))
    return `the file list of ZipJob ${name} was deleted, so the job can no longer be rerun; create a new job`;
  if (!spec.filesFrom || fileListOwner(spec.filesFrom.secretNames) !== name)
    return `spec.filesFrom.secretNames refers to the list of ZipJob ${name}, which has no file list of its own`;
  return spec.filesFrom.sha256 === wanted.sha256 && spec.filesFrom.count === wanted.count
    ? undefined
    : `spec.filesFrom does not match the count and digest of the list of ZipJob ${name}`;
}

/**
 * Why a job must not use the file list that it names. The controller mounts these Secrets and deletes them later, so it must
 * reject any other Secret. They must belong to this job, or to the ZipJob that it reruns.
 */
export function fileListFault(
  zipJob: ZipJob,
  filesFrom: FilesFrom,
  owner: ZipJob | undefined,
): string | undefined {
  const { name } = zipJob.metadata;
  const ownerName = fileListOwner(filesFrom.secretNames);
  if (ownerName === name) return undefined;
  if (ownerName === undefined)
    return `spec.filesFrom.secretNames must be ${fileListSecretName(name, 0)} and so on, or the Secrets of the job to rerun`;
  return owner
    ? ownerFault(owner, ownerName, filesFrom)
    : `spec.filesFrom.secretNames refers to the list of ZipJob ${ownerName}, which does not exist`;
}
