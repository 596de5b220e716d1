import {
  apiStatusOf,
  SPEC_DEFAULTS,
  type WebhookEvent,
  type ZipJob,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import { bucketOf, zipJobId } from '#crds/zip-job-facts.ts';
import { isJsonObject } from '../kube/client/decode.ts';
import { jobErrorOf } from './job-error.ts';

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

/** The error that `?expand=error` has. The message is truncated before the list of failing files. */
function errorOf(status: ZipJobStatus, room: number, helpUrl: string): string {
  const { code, message, file_index, files, files_total, ...more } = jobErrorOf(status, helpUrl);
  function errorJson(text: string, shown: typeof files): string {
    return `,"error":${JSON.stringify({ code, message: text, file_index, files: shown, files_total, ...more })}`;
  }
  const text = cut(message, room - bytesOf(errorJson('', [])));
  const shown = files.slice(0, MOST_FILES);
  while (shown.length > 0 && bytesOf(errorJson(text, shown)) > room) shown.pop();
  return errorJson(text, shown);
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
 * The body of a webhook. The same ZipJob and URL always give the same bytes, so that every attempt sends the same body. `metadata` is
 * inserted as the caller wrote it: parsing and printing it would change numbers and the order of keys. `skipped` contains the
 * indices of skipped files, `error.files` the first failing ones. The body stays below MAX_BODY_BYTES: documented fields are always complete, optional ones are
 * truncated to the remaining space.
 * @param helpUrl of the page that explains failure codes
 */
export function webhookBody(zipJob: ZipJob, event: WebhookEvent, helpUrl: string): string {
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
  const { status = {} } = zipJob;
  const more = event === 'COMPLETED' ? skippedOf(status, room) : errorOf(status, room, helpUrl);
  return `${promised}${more}}`;
}
