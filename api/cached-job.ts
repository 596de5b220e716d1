import { ANNOTATIONS } from '#crds/api-group.ts';
import { isFinished, SPEC_DEFAULTS, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';

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

/** The last attempt only: what came before it is on the page of the job, which reads it live. */
const lastDelivery = (webhook: WebhookState | undefined): Pick<NonNullable<ZipJob['status']>, 'webhook'> =>
  webhook?.log === undefined ? {} : { webhook: { ...webhook, log: webhook.log.slice(-1) } };

/** What lists and figures of the dashboard are made of; where the file list stands is not. */
const listed = (job: ZipJob): Pick<ZipJob, 'metadata' | 'spec' | 'status'> => {
  const { metadata, spec, status = {} } = job;
  const { creationTimestamp, deletionTimestamp } = metadata;
  const { conditions: _conditions, attempts: _attempts, webhook, job: _job, ...rest } = status;
  const { upload: _upload, message: _message, result, ...told } = rest;
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
      ...told,
      ...lastDelivery(webhook),
      ...(result === undefined ? {} : { result: { ...result, skipped: [], lengthUnverified: [] } }),
    },
  };
};

/**
 * What the cache keeps of a ZipJob: the size of its stored list, and the answer to a read when the job is finished and will never answer differently;
 * only its existence before that.
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

/** What the cache keeps of a ZipJob; more of it when the dashboard lists jobs. */
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

/** True when the cached job tells all that a read answers. */
export const isAnswer = (job: ZipJob): boolean => isFinished(job) && job.spec.metadata !== undefined;
