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

/** What `?expand=` adds to an answer; a field that does not apply (yet) is null. */
const EXPANSION_SCHEMAS = {
  progress: fieldsOrNull('How far the job is; null until it has begun.', {
    files_total: count('Files of the archive.'),
    files_done: count('Files that are in the archive.'),
    current_file: countOrNull('Index in `urls` of the file that is being written.'),
    bytes_read: count('Bytes of all sources so far.'),
    bytes_uploaded: count('Bytes of the archive that the store has.'),
    bytes_total: countOrNull('Bytes of all sources, once each has told its length.'),
    bytes_per_second: numberOrNull('Bytes read in a second, over the last half minute.'),
    estimated_end_at: timeOrNull('When the last source will have been read at this pace.'),
    updated_at: timeOrNull('When this was told.'),
  }),
  error: fieldsOrNull('Why the job failed; null for every other job.', {
    code: { type: 'string', description: 'What went wrong, in one word.' },
    message: { type: 'string', description: 'The same for people; names no query of a URL.' },
    file_index: countOrNull('Index in `urls` of the file that it was about.'),
    http_status: countOrNull('What its source answered.'),
    retriable: { type: 'boolean', description: 'Whether the same request may well succeed.' },
    help: { type: 'string', description: 'Where the code is explained.' },
  }),
  archive: fieldsOrNull('What is in the bucket; null until the job has succeeded.', {
    size: count('Bytes of the archive.'),
    files: count('Entries of the archive.'),
    sha256: textOrNull('SHA-256 of the archive in hexadecimal, when the project asks for it.'),
    seconds: numberOrNull('How long it took to write.'),
    skipped: {
      type: 'array',
      items: { type: 'integer', minimum: 0 },
      description: 'Indices in `urls` of files that were left out or replaced, as the project allows.',
    },
    accepted_at: timeOrNull('When the request was taken.'),
    started_at: timeOrNull('When the first file was fetched.'),
    finished_at: timeOrNull('When the archive was complete.'),
  }),
  bucket: fieldsOrNull('Where the archive goes.', {
    service: { type: 'string', enum: SERVICES },
    name: { type: 'string', description: 'As in `bucket_name` of the request.' },
    key: { type: 'string', description: 'As in the request.' },
  }),
  webhook: fieldsOrNull('Whether the webhook was delivered; null when none is sent for the job.', {
    state: { type: 'string', enum: ['pending', 'delivered', 'exhausted', 'not_configured'] },
    attempts: count('Deliveries that were tried.'),
    last_status: countOrNull('What the receiver answered last.'),
    next_attempt_at: timeOrNull('When it is tried again.'),
    delivered_at: timeOrNull('When the receiver took it.'),
  }),
} as const satisfies Readonly<Record<Expansion, unknown>>;

/** The body of every success. */
export const ZIP_SCHEMA = {
  title: 'Zip',
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      description: 'Nothing but the first three fields, unless `expand` asks for more.',
      required: ['uuid', 'status', 'metadata'],
      properties: {
        uuid: { type: 'string', format: 'uuid', description: 'Id of the job.' },
        status: {
          type: 'string',
          enum: API_STATUSES,
          description:
            'none: not begun. processing: files are fetched. succeeded: the archive is in the bucket. failed: there is no archive.',
        },
        metadata: { type: 'object', description: 'As sent, `{}` when none was sent.' },
        ...EXPANSION_SCHEMAS,
      },
    },
  },
} as const;
