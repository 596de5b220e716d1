import { ANNOTATIONS } from '#crds/api-group.ts';
import { isFinished, SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';

/** Maximum metadata size in the cache; a job with more is read from the API server for every request. */
const MAX_KEPT_METADATA = 1_024;

/** The size of the file list while it is stored. */
const listAnnotations = ({
  annotations = {},
}: ZipJob['metadata']): Pick<ZipJob['metadata'], 'annotations'> => {
  const bytes = annotations[ANNOTATIONS.fileListBytes];
  if (bytes === undefined || annotations[ANNOTATIONS.fileListDeletedAt] !== undefined) return {};
  return { annotations: { [ANNOTATIONS.fileListBytes]: bytes } };
};

/**
 * The cached fields of a ZipJob: the size of its stored list and, once it is finished, the content of a read response, which no longer changes;
 * before that, only its existence.
 */
export const toCachedJob = (job: ZipJob): ZipJob => {
  const { name, namespace, uid, resourceVersion } = job.metadata;
  const text = job.spec.metadata ?? SPEC_DEFAULTS.metadata;
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

/** True if the cached job is sufficient for a read response. */
export const isResponse = (job: ZipJob): boolean => isFinished(job) && job.spec.metadata !== undefined;
