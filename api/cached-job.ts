import { ANNOTATIONS } from '#crds/api-group.ts';
import { isFinished, SPEC_DEFAULTS, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';

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

/** Only the last attempt: the page of the job reads the others from the API server. */
const lastDelivery = (webhook: WebhookState | undefined): Pick<NonNullable<ZipJob['status']>, 'webhook'> =>
  webhook?.log === undefined ? {} : { webhook: { ...webhook, log: webhook.log.slice(-1) } };

/** The fields that the dashboard lists and counts, without the location of the file list. */
const listed = (job: ZipJob): Pick<ZipJob, 'metadata' | 'spec' | 'status'> => {
  const { metadata, spec, status = {} } = job;
  const { creationTimestamp, deletionTimestamp } = metadata;
  const { conditions: _conditions, attempts: _attempts, webhook, job: _job, ...rest } = status;
  const { upload: _upload, message: _message, result, ...shown } = rest;
  return {
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: {
      bucketRef: { name: spec.bucketRef.name },
      key: spec.key,
      filesFrom: { secretNames: [], encoding: 'gzip+json', count: fileCount(job), sha256: '' },
    },
    status: {
      ...shown,
      ...lastDelivery(webhook),
      ...(result === undefined ? {} : { result: { ...result, skipped: [], lengthUnverified: [] } }),
    },
  };
};

/**
 * The cached fields of a ZipJob: the size of its stored list and, once it is finished, the content of a read response, which no longer changes;
 * before that, only its existence.
 */
const toKnownJob = (job: ZipJob): ZipJob => {
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

/** Reduces a ZipJob to its cached fields; keeps more if the dashboard lists jobs. */
export const createToCachedJob =
  ({ isListed }: { readonly isListed: boolean }) =>
  (job: ZipJob): ZipJob => {
    const known = toKnownJob(job);
    if (!isListed) return known;
    const more = listed(job);
    return {
      ...known,
      metadata: { ...more.metadata, ...known.metadata },
      spec: { ...known.spec, ...more.spec },
      ...(more.status === undefined ? {} : { status: more.status }),
    };
  };

/** True if the cached job is sufficient for a read response. */
export const isResponse = (job: ZipJob): boolean => isFinished(job) && job.spec.metadata !== undefined;
