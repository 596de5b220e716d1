import { fileListOwner, fileListSecretName } from '#crds/api-group.ts';
import type { Reason } from '#crds/conditions.ts';
import { type FilesFrom, SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';
import { isFileListDeleted } from '#crds/zip-job-facts.ts';
import { isJsonObject } from '#runtime/kube/client/decode.ts';
import { isLeaving } from '../../cluster/release.ts';
import type { Observation, Outcome } from '../observation.ts';
import { notReadable, wasAccepted } from './interruption.ts';

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

export type Admission =
  | { readonly kind: 'accept' }
  | { readonly kind: 'wait'; readonly reason: Reason; readonly message: string }
  | ({ readonly kind: 'refuse' } & Outcome);

function refuse(reason: Reason, message: string): Admission {
  return { kind: 'refuse', reason, message };
}

/** Why the archive cannot be written. */
function bucketFault({ zipJob, bucket }: Pick<Observation, 'zipJob' | 'bucket'>): Admission | undefined {
  const { name } = zipJob.spec.bucketRef;
  if (!bucket)
    return refuse(
      'BucketNotFound',
      `ZipBucket ${name} does not exist in namespace ${zipJob.metadata.namespace}`,
    );
  return isLeaving(bucket.metadata) && !wasAccepted(zipJob)
    ? refuse('BucketTerminating', `ZipBucket ${name} is being deleted and accepts no new jobs`)
    : undefined;
}

/** Why the job must not read one of its source buckets. */
function sourceFault({
  zipJob,
  sourceBuckets = [],
}: Pick<Observation, 'zipJob' | 'sourceBuckets'>): Admission | undefined {
  for (const name of zipJob.spec.sourceBuckets ?? []) {
    const bucket = sourceBuckets.find(({ metadata }) => metadata.name === name);
    if (!bucket || (isLeaving(bucket.metadata) && !wasAccepted(zipJob)))
      return refuse(
        'SourceBucketNotFound',
        `ZipBucket ${name} of spec.sourceBuckets does not exist in namespace ${zipJob.metadata.namespace}, or is being deleted`,
      );
    if (bucket.spec.readable !== true) return { kind: 'refuse', ...notReadable(zipJob, name) };
  }
  return undefined;
}

/** Decides whether the job can run, before anything is created for it. */
export function admission({
  zipJob,
  project,
  bucket,
  sourceBuckets = [],
  listOwner,
}: Pick<Observation, 'zipJob' | 'project' | 'bucket' | 'sourceBuckets' | 'listOwner'>): Admission {
  const { metadata = SPEC_DEFAULTS.metadata, filesFrom } = zipJob.spec;
  if (!isJsonObject(metadata)) return refuse('InvalidMetadata', 'spec.metadata is not a JSON object');
  const fault = filesFrom && fileListFault(zipJob, filesFrom, listOwner);
  if (fault !== undefined) return refuse('InvalidFileList', fault);
  if (!project)
    return {
      kind: 'wait',
      reason: 'ProjectNotFound',
      message: `namespace ${zipJob.metadata.namespace} has no ZipProject named project`,
    };
  return bucketFault({ zipJob, bucket }) ?? sourceFault({ zipJob, sourceBuckets }) ?? { kind: 'accept' };
}
