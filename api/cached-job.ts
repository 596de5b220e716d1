import { ANNOTATIONS } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';

/** Longest metadata that is kept in memory; a job with more is read anew for every request. */
const MAX_KEPT_METADATA = 1_024;

/** The size of its file list, as long as that is stored. */
const listAnnotations = ({
  annotations = {},
}: ZipJob['metadata']): Pick<ZipJob['metadata'], 'annotations'> => {
  const bytes = annotations[ANNOTATIONS.fileListBytes];
  if (bytes === undefined || annotations[ANNOTATIONS.fileListDeletedAt] !== undefined) return {};
  return { annotations: { [ANNOTATIONS.fileListBytes]: bytes } };
};

/**
 * What the cache keeps of a ZipJob: the size of its stored list, and the answer to a read when the job is finished and will never answer differently;
 * only its existence before that.
 */
export const toCachedJob = (job: ZipJob): ZipJob => {
  const { name, namespace, uid, resourceVersion } = job.metadata;
  const text = job.spec.metadata ?? '{}';
  const phase = job.status?.phase;
  const keep = isFinished(job) && text.length <= MAX_KEPT_METADATA;
  return {
    apiVersion: job.apiVersion,
    kind: job.kind,
    metadata: {
      name,
      namespace,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...listAnnotations(job.metadata),
    },
    spec: { bucketRef: { name: '' }, key: '', ...(keep ? { metadata: text } : {}) },
    ...(keep && phase !== undefined ? { status: { phase } } : {}),
  };
};

/** True when the cached job tells all that a read answers. */
export const isAnswer = (job: ZipJob): boolean => isFinished(job) && job.spec.metadata !== undefined;
