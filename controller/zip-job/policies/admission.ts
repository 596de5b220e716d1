import type { Reason } from '#crds/conditions.ts';
import { SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { isJsonObject } from '#runtime/kube/decode.ts';
import { isLeaving } from '../../kube-state/release.ts';
import type { Observation, Outcome } from '../observation.ts';
import { fileListFault } from './file-list.ts';
import { wasAccepted } from './interruption.ts';

export type Admission =
  | { readonly kind: 'accept' }
  | { readonly kind: 'wait'; readonly reason: Reason; readonly message: string }
  | ({ readonly kind: 'refuse' } & Outcome);

function refuse(reason: Reason, message: string): Admission {
  return { kind: 'refuse', reason, message };
}

/** Decides whether the job can run, before anything is created for it. */
export function admission({
  zipJob,
  project,
  bucket,
  listOwner,
}: Pick<Observation, 'zipJob' | 'project' | 'bucket' | 'listOwner'>): Admission {
  const { bucketRef, metadata = SPEC_DEFAULTS.metadata, filesFrom } = zipJob.spec;
  if (!isJsonObject(metadata)) return refuse('InvalidMetadata', 'spec.metadata is not a JSON object');
  const fault = filesFrom && fileListFault(zipJob, filesFrom, listOwner);
  if (fault !== undefined) return refuse('InvalidFileList', fault);
  if (!project)
    return {
      kind: 'wait',
      reason: 'ProjectNotFound',
      message: `namespace ${zipJob.metadata.namespace} has no ZipProject named project`,
    };
  if (!bucket)
    return refuse(
      'BucketNotFound',
      `ZipBucket ${bucketRef.name} does not exist in namespace ${zipJob.metadata.namespace}`,
    );
  if (isLeaving(bucket.metadata) && !wasAccepted(zipJob))
    return refuse(
      'BucketTerminating',
      `ZipBucket ${bucketRef.name} is being deleted and accepts no new jobs`,
    );
  return { kind: 'accept' };
}
