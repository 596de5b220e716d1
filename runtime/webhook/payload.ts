import {
  apiStatusOf,
  type SourceCheck,
  SPEC_DEFAULTS,
  type WebhookEvent,
  type ZipJob,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import { bucketOf, zipJobId } from '#crds/zip-job-facts.ts';
import { isJsonObject } from '../kube/client/decode.ts';

/** Receivers of Standard Webhooks accept at least 20 kB. */
const MAX_BODY_BYTES = 20_000;

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** The longest prefix of the text that fits into `room` bytes as a JSON string. */
function cut(text: string, room: number): string {
  if (bytesOf(JSON.stringify(text)) <= room) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && bytesOf(JSON.stringify(`${characters.join('')}...`)) > room)
    characters.length -= Math.ceil(characters.length / 16);
  return `${characters.join('')}...`;
}

const MOST_FILES = 20;

function filesJson(files: readonly string[], total: number): string {
  return `,"files":[${files.join(',')}],"files_total":${total}`;
}

/** As many of the first failing files as fit, with the number of all. */
function filesOf({ failures, failed }: SourceCheck, room: number): string {
  const files = failures
    .slice(0, MOST_FILES)
    .map(({ fileIndex, code, httpStatus = null }) =>
      JSON.stringify({ file_index: fileIndex, code, http_status: httpStatus }),
    );
  while (files.length > 0 && bytesOf(filesJson(files, failed)) > room) files.pop();
  const all = filesJson(files, failed);
  return bytesOf(all) <= room ? all : '';
}

/** The message is truncated before the number of failing files, and their list before the message. */
function errorOf(status: ZipJobStatus, room: number): string {
  const { reason = 'Internal', message = '', failure, sourceCheck } = status;
  const isSame = failure?.code === reason && failure.fileIndex !== undefined;
  function errorJson(text: string, files = ''): string {
    const fields = { code: reason, message: text, ...(isSame && { file_index: failure.fileIndex }) };
    return `,"error":${JSON.stringify(fields).slice(0, -1)}${files}}`;
  }
  const free = room - bytesOf(errorJson(''));
  const total = sourceCheck === undefined ? '' : filesOf({ ...sourceCheck, failures: [] }, free);
  const text = cut(message, free - bytesOf(total));
  const files =
    total === '' || sourceCheck === undefined ? '' : filesOf(sourceCheck, room - bytesOf(errorJson(text)));
  return errorJson(text, files);
}

/** As many indices as fit, with their total number if not all fit. */
function skippedOf({ result }: ZipJobStatus, room: number): string {
  const skipped = result?.skipped ?? [];
  if (skipped.length === 0) return '';
  const all = `,"skipped":${JSON.stringify(skipped)}`;
  if (bytesOf(all) <= room) return all;
  const longest = String(skipped.reduce((most, index) => Math.max(most, index), 0)).length + 1;
  const frame = bytesOf(`,"skipped":[],"skipped_total":${skipped.length}`);
  const some = skipped.slice(0, Math.max(0, Math.floor((room - frame) / longest)));
  return `,"skipped":${JSON.stringify(some)},"skipped_total":${skipped.length}`;
}

/**
 * The body of a webhook. The same ZipJob always gives the same bytes, so that every attempt sends the same body. `metadata` is
 * inserted as the caller wrote it: parsing and printing it would change numbers and the order of keys. `skipped` contains the
 * indices of skipped files, `error.files` the first failing ones. The body stays below MAX_BODY_BYTES: documented fields are always complete, optional ones are
 * truncated to the remaining space.
 */
export function webhookBody(zipJob: ZipJob, event: WebhookEvent): string {
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
}
