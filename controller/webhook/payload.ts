import type { WebhookEvent, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { apiStatusOf } from '#crds/zip-job.ts';
import { isJsonObject } from '../policies/admission.ts';

const UUID_NAME = /^zip-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The id that callers know a job by: its uuid, or the object's uid when it was named by hand. */
export const zipIdOf = ({ metadata }: Pick<ZipJob, 'metadata'>): string =>
  UUID_NAME.exec(metadata.name)?.[1] ?? metadata.uid ?? metadata.name;

/** A ZipBucket is named `<service>-<bucket name>`, which the API server checks. */
const bucketOf = ({ spec }: ZipJob): { service: string; name: string } => {
  const service = spec.service ?? 's3';
  return { service, name: spec.bucketRef.name.slice(service.length + 1) };
};

const errorOf = (status: ZipJobStatus): Readonly<Record<string, unknown>> => {
  const { reason = 'Internal', message = '', failure } = status;
  const isSame = failure?.code === reason && failure.fileIndex !== undefined;
  return { code: reason, message, ...(isSame && { file_index: failure.fileIndex }) };
};

const skippedOf = ({ result }: ZipJobStatus): string =>
  result?.skipped?.length ? `,"skipped":${JSON.stringify(result.skipped)}` : '';

/**
 * The body of a webhook. The same ZipJob always gives the same bytes, so that every attempt carries the same body. metadata is
 * spliced in as the caller wrote it: parsing and printing it again would change numbers and the order of keys. Files that the
 * caller allowed to be left out, and that were, are told by their index in `skipped`.
 */
export const webhookBody = (zipJob: ZipJob, event: WebhookEvent): string => {
  const metadata = zipJob.spec.metadata ?? '{}';
  const head = JSON.stringify({
    type: event,
    zip_id: zipIdOf(zipJob),
    status: apiStatusOf(zipJob.status?.phase),
    bucket: bucketOf(zipJob),
    key: zipJob.spec.key,
  });
  const omitted = event === 'COMPLETED' ? skippedOf(zipJob.status ?? {}) : '';
  const error = event === 'FAILED' ? `,"error":${JSON.stringify(errorOf(zipJob.status ?? {}))}` : '';
  return `${head.slice(0, -1)},"metadata":${isJsonObject(metadata) ? metadata : '{}'}${omitted}${error}}`;
};
