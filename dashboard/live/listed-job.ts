import type { WebhookState, ZipJob } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';

/** Only the last attempt: the page of the job reads the others from the API server. */
const lastDelivery = (webhook: WebhookState | undefined): Pick<NonNullable<ZipJob['status']>, 'webhook'> =>
  webhook?.log === undefined ? {} : { webhook: { ...webhook, log: webhook.log.slice(-1) } };

const listedMetadata = (metadata: ZipJob['metadata']): ZipJob['metadata'] => {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  return {
    name,
    namespace,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
};

/** Reduces a ZipJob to the fields that pages list and count, without the location of the file list. */
export const toListedJob = (job: ZipJob): ZipJob => {
  const { apiVersion, kind, metadata, spec, status = {} } = job;
  const { conditions: _conditions, attempts: _attempts, webhook, job: _job, ...rest } = status;
  const { upload: _upload, message: _message, result, ...shown } = rest;
  return {
    apiVersion,
    kind,
    metadata: listedMetadata(metadata),
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
