import { fileListSecretName } from '#crds/api-group.ts';
import type { Reason } from '#crds/conditions.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import type { Observation, Outcome } from '../observation.ts';
import { wasAccepted } from './interruption.ts';
import { isLeaving } from './release.ts';

export type Admission =
  | { readonly kind: 'accept' }
  | { readonly kind: 'wait'; readonly reason: Reason; readonly message: string }
  | ({ readonly kind: 'refuse' } & Outcome);

/** True when the text is that of one JSON object. */
export const isJsonObject = (text: string): boolean => {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
};

const refuse = (reason: Reason, message: string): Admission => ({ kind: 'refuse', reason, message });

/** Can the job run at all? Asked once, before anything is created for it. */
export const admission = ({
  zipJob,
  project,
  bucket,
}: Pick<Observation, 'zipJob' | 'project' | 'bucket'>): Admission => {
  const { bucketRef, metadata, filesFrom } = zipJob.spec;
  if (!isJsonObject(metadata ?? '{}'))
    return refuse('InvalidMetadata', 'spec.metadata is not the text of one JSON object');
  // The controller mounts and later deletes these Secrets: a name of somebody else's Secret must never get through.
  const foreign = filesFrom?.secretNames.findIndex(
    (name, index) => name !== fileListSecretName(zipJob.metadata.name, index),
  );
  if (foreign !== undefined && foreign !== -1)
    return refuse(
      'InvalidFileList',
      `spec.filesFrom.secretNames[${foreign}] is not ${fileListSecretName(zipJob.metadata.name, foreign)}`,
    );
  if (!project)
    return {
      kind: 'wait',
      reason: 'ProjectNotFound',
      message: `namespace ${zipJob.metadata.namespace} holds no ZipProject named project`,
    };
  if (!bucket)
    return refuse('BucketNotFound', `no ZipBucket ${bucketRef.name} exists in ${zipJob.metadata.namespace}`);
  if (isLeaving(bucket.metadata) && !wasAccepted(zipJob))
    return refuse('BucketTerminating', `ZipBucket ${bucketRef.name} is being deleted and takes no new jobs`);
  return { kind: 'accept' };
};
