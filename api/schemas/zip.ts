import { API_STATUSES, SERVICES } from '#crds/zip-job.ts';
import type { Expansion } from '../expand/read-expand.ts';

const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;
const countOrNull = (description: string) =>
  ({ type: ['integer', 'null'], minimum: 0, description }) as const;
const numberOrNull = (description: string) =>
  ({ type: ['number', 'null'], minimum: 0, description }) as const;
const textOrNull = (description: string) => ({ type: ['string', 'null'], description }) as const;
const timeOrNull = (description: string) =>
  ({ type: ['string', 'null'], format: 'date-time', description }) as const;

const fieldsOrNull = <P extends Readonly<Record<string, unknown>>>(description: string, properties: P) => ({
  type: ['object', 'null'],
  description,
  required: Object.keys(properties),
  properties,
});

/** The fields that `?expand=` adds to a response; a field that does not apply (yet) is null. */
const EXPANSION_SCHEMAS = {
  progress: fieldsOrNull('Progress of the job; null until it starts.', {
    files_total: count('Number of files in the request.'),
    files_done: count('Number of files already in the archive.'),
    current_file: countOrNull('Index in `urls` of the current file.'),
    bytes_read: count('Bytes read from all sources.'),
    bytes_uploaded: count('Bytes of the archive uploaded to the bucket.'),
    bytes_total: countOrNull('Total bytes of all sources; null until every source has reported its length.'),
    bytes_per_second: numberOrNull('Bytes read per second, averaged over the last 30 seconds.'),
    estimated_end_at: timeOrNull('Estimated time at which all sources are read.'),
    updated_at: timeOrNull('Time of this progress report.'),
  }),
  error: fieldsOrNull('Why the job failed; null for every other job.', {
    code: { type: 'string', description: 'Failure code.' },
    message: { type: 'string', description: 'Human-readable message, without URL queries.' },
    file_index: countOrNull('Index in `urls` of the failing file.'),
    http_status: countOrNull('HTTP status of the source response.'),
    retriable: { type: 'boolean', description: 'Whether retrying the same request may help.' },
    help: { type: 'string', description: 'URL of the documentation of the code.' },
  }),
  archive: fieldsOrNull('The archive in the bucket; null until the job succeeds.', {
    size: count('Size of the archive in bytes.'),
    files: count('Number of entries in the archive.'),
    sha256: textOrNull('SHA-256 of the archive in hexadecimal; null if the zipper did not compute it.'),
    seconds: numberOrNull('Duration of writing the archive, in seconds.'),
    skipped: {
      type: 'array',
      items: { type: 'integer', minimum: 0 },
      description:
        'Indices in `urls` of files that were skipped or replaced, if `on_source_error` of the request or `jobDefaults.onSourceError` of the project allows it.',
    },
    accepted_at: timeOrNull('Time at which the request was accepted.'),
    started_at: timeOrNull('Time at which the job started.'),
    finished_at: timeOrNull('Time at which the job finished.'),
  }),
  bucket: fieldsOrNull('Destination of the archive.', {
    service: { type: 'string', enum: SERVICES },
    name: { type: 'string', description: '`bucket_name` of the request.' },
    key: { type: 'string', description: '`key` of the request.' },
  }),
  webhook: fieldsOrNull('State of the webhook delivery; null if no webhook is sent for the job.', {
    state: { type: 'string', enum: ['pending', 'delivered', 'exhausted', 'not_configured'] },
    attempts: count('Number of delivery attempts.'),
    last_status: countOrNull('HTTP status of the last response of the receiver.'),
    next_attempt_at: timeOrNull('Time of the next attempt.'),
    delivered_at: timeOrNull('Time of the successful delivery.'),
  }),
} as const satisfies Readonly<Record<Expansion, unknown>>;

/** The body of every successful response. */
export const ZIP_SCHEMA = {
  title: 'Zip',
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      description: 'Contains only `uuid`, `status` and `metadata`, unless `expand` requests more.',
      required: ['uuid', 'status', 'metadata'],
      properties: {
        uuid: { type: 'string', format: 'uuid', description: 'Id of the job.' },
        status: {
          type: 'string',
          enum: API_STATUSES,
          description:
            'none: queued, not started. processing: downloading files and writing the archive. succeeded: the archive is in the bucket. failed: no archive was created.',
        },
        metadata: { type: 'object', description: 'The metadata exactly as sent; `{}` if none was sent.' },
        ...EXPANSION_SCHEMAS,
      },
    },
  },
} as const;
