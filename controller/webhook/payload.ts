import type { WebhookEvent, ZipJob } from '#crds/zip-job.ts';
import { apiStatusOf } from '#crds/zip-job.ts';
import { isJsonObject } from '../policies/admission.ts';

const UUID_NAME = /^zip-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const BUCKET_NAME = /^(s3|r2)-(.+)$/;

/** The id that callers know a job by: its uuid, or the object's uid when it was named by hand. */
export const zipIdOf = ({ metadata }: Pick<ZipJob, 'metadata'>): string =>
  UUID_NAME.exec(metadata.name)?.[1] ?? metadata.uid ?? metadata.name;

const bucketOf = ({ spec }: ZipJob): { service: string; name: string } => {
  const [, service, name] = BUCKET_NAME.exec(spec.bucketRef.name) ?? [];
  return { service: service ?? spec.service ?? 's3', name: name ?? spec.bucketRef.name };
};

const errorOf = ({ status }: ZipJob): Readonly<Record<string, unknown>> => {
  const fileIndex = status?.failure?.fileIndex;
  return {
    code: status?.reason ?? 'Internal',
    message: status?.message ?? '',
    ...(fileIndex !== undefined && status?.failure?.code === status?.reason && { file_index: fileIndex }),
  };
};

/**
 * The body of a webhook. The same ZipJob always gives the same bytes, so that every attempt carries the same body. metadata is
 * spliced in as the caller wrote it: parsing and printing it again would change numbers and the order of keys.
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
  const error = event === 'FAILED' ? `,"error":${JSON.stringify(errorOf(zipJob))}` : '';
  return `${head.slice(0, -1)},"metadata":${isJsonObject(metadata) ? metadata : '{}'}${error}}`;
};
