import {
  apiStatusOf,
  SPEC_DEFAULTS,
  type WebhookEvent,
  type ZipJob,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import { bucketOf, zipJobId } from '#crds/zip-job-facts.ts';
import { isJsonObject } from '#runtime/kube/decode.ts';

/** Receivers of Standard Webhooks accept at least 20 kB. */
const MAX_BODY_BYTES = 20_000;

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** The longest prefix of the text that fits into `room` bytes as a JSON string. */
const cut = (text: string, room: number): string => {
  if (bytesOf(JSON.stringify(text)) <= room) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && bytesOf(JSON.stringify(`${characters.join('')}...`)) > room)
    characters.length -= Math.ceil(characters.length / 16);
  return `${characters.join('')}...`;
};

const errorOf = (status: ZipJobStatus, room: number): string => {
  const { reason = 'Internal', message = '', failure } = status;
  const isSame = failure?.code === reason && failure.fileIndex !== undefined;
  const errorJson = (text: string): string =>
    `,"error":${JSON.stringify({ code: reason, message: text, ...(isSame && { file_index: failure.fileIndex }) })}`;
  return errorJson(cut(message, room - bytesOf(errorJson(''))));
};

/** As many indices as fit, with their total number if not all fit. */
const skippedOf = ({ result }: ZipJobStatus, room: number): string => {
  const skipped = result?.skipped ?? [];
  if (skipped.length === 0) return '';
  const all = `,"skipped":${JSON.stringify(skipped)}`;
  if (bytesOf(all) <= room) return all;
  const longest = String(skipped.reduce((most, index) => Math.max(most, index), 0)).length + 1;
  const frame = bytesOf(`,"skipped":[],"skipped_total":${skipped.length}`);
  const some = skipped.slice(0, Math.max(0, Math.floor((room - frame) / longest)));
  return `,"skipped":${JSON.stringify(some)},"skipped_total":${skipped.length}`;
};

/**
 * The body of a webhook. The same ZipJob always gives the same bytes, so that every attempt sends the same body. `metadata` is
 * inserted as the caller wrote it: parsing and printing it would change numbers and the order of keys. `skipped` contains the
 * indices of skipped files. The body stays below MAX_BODY_BYTES: documented fields are always complete, optional ones are
 * truncated to the remaining space.
 */
export const webhookBody = (zipJob: ZipJob, event: WebhookEvent): string => {
  const { metadata = SPEC_DEFAULTS.metadata } = zipJob.spec;
  const head = JSON.stringify({
    type: event,
    zip_id: zipJobId(zipJob),
    status: apiStatusOf(zipJob.status?.phase),
    bucket: bucketOf(zipJob),
    key: zipJob.spec.key,
  });
  const promised = `${head.slice(0, -1)},"metadata":${isJsonObject(metadata) ? metadata : SPEC_DEFAULTS.metadata}`;
  const room = MAX_BODY_BYTES - bytesOf(promised) - 1;
  const more = event === 'COMPLETED' ? skippedOf : errorOf;
  return `${promised}${more(zipJob.status ?? {}, room)}}`;
};
