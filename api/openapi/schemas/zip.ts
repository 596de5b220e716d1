import { MAX_ENDPOINTS } from '#crds/webhook-endpoints.ts';
import { API_STATUSES, type ApiStatus, SERVICES } from '#crds/zip-job.ts';
import { MOST_CHECK_FAILURES, RENAMED_LIMITS } from '#crds/zip-outcome.ts';
import type { Expansion } from '../../read/read-expand.ts';
import { POSITION, schemaRef } from './schema-ref.ts';

const INT64 = { type: 'integer', format: 'int64', minimum: 0 } as const;
const NUMBER = { type: 'number', minimum: 0 } as const;
const TEXT = { type: 'string' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;

type FieldSchema = typeof INT64 | typeof NUMBER | typeof TEXT | typeof TIME;

function count(description: string) {
  return { ...INT64, description };
}

function orNull<S extends FieldSchema>(schema: S, description: string) {
  return {
    ...schema,
    type: [schema.type, 'null'],
    description,
  };
}

/** An object whose fields are always present. */
function fields<P extends Readonly<Record<string, unknown>>>(description: string, properties: P) {
  return {
    type: 'object',
    description,
    required: Object.keys(properties),
    properties,
  };
}

const DELIVERY_FIELDS = {
  state: {
    ...TEXT,
    enum: ['pending', 'delivered', 'exhausted', 'not_configured'],
    description:
      'pending: not delivered yet. delivered: the receiver responded with success. exhausted: it will not be delivered, because all attempts failed or the endpoint is disabled or was removed. not_configured: the project had no webhook for this event.',
  },
  attempts: count('Number of delivery attempts.'),
  last_status: orNull(INT64, 'HTTP status of the last response of the receiver.'),
  next_attempt_at: orNull(TIME, 'Time of the next attempt.'),
  delivered_at: orNull(TIME, 'Time of the successful delivery.'),
};

/** The fields that `?expand=` adds to a response, under the names of their schemas. */
const EXPANSION_SCHEMAS = {
  Progress: fields('Progress of a job.', {
    files_total: count('Number of files in the request.'),
    files_done: count('Number of files already in the archive.'),
    current_file: orNull(INT64, `${POSITION} Null before the first file.`),
    bytes_read: count('Bytes read from all source URLs.'),
    bytes_uploaded: count('Bytes of the archive uploaded to the bucket.'),
    bytes_total: orNull(INT64, 'Total bytes of all files; null until every source has reported its length.'),
    bytes_per_second: orNull(NUMBER, 'Bytes read per second, averaged over the last 30 seconds.'),
    estimated_end_at: orNull(TIME, 'Estimated time at which all files are read.'),
    updated_at: orNull(TIME, 'Time of this progress report.'),
  }),
  JobError: fields('Why a job failed.', {
    code: schemaRef('FailureCode'),
    message: { ...TEXT, description: 'Human-readable message, without URL queries.' },
    file_index: orNull(INT64, POSITION),
    http_status: orNull(INT64, 'HTTP status with which the source responded.'),
    retriable: { type: 'boolean', description: 'Whether sending the same request again may help.' },
    help: { ...TEXT, description: 'URL of the documentation of the code.' },
    files: {
      type: 'array',
      maxItems: MOST_CHECK_FAILURES,
      items: schemaRef('FailedFile'),
      description: `The first ${MOST_CHECK_FAILURES} files that are known to fail, by index. When a source fails for good, the service checks the others for a limited time.`,
    },
    files_total: count('Number of files that are known to fail.'),
    files_checked: orNull(INT64, 'Number of checked files; null if the other files were not checked.'),
    predicted_size: orNull(
      INT64,
      'Total bytes of the other files, as far as their sources declare a length: about the size of their archive without compression. Null if no length is known.',
    ),
    predicted_files: count('Number of files in `predicted_size`.'),
  }),
  FailedFile: fields('A file that cannot be downloaded.', {
    file_index: count(POSITION),
    code: schemaRef('FailureCode'),
    http_status: orNull(INT64, 'HTTP status with which the source responded.'),
  }),
  Archive: fields('The archive in the bucket.', {
    size: count('Size of the archive in bytes.'),
    files: count('Number of entries in the archive.'),
    sha256: orNull(TEXT, 'SHA-256 of the archive in hexadecimal; null if it was not computed.'),
    seconds: orNull(NUMBER, 'Duration of writing the archive, in seconds.'),
    skipped: {
      type: 'array',
      items: INT64,
      description:
        'Files that were skipped or replaced (`on_source_error`): their positions in `urls`, counted from 0.',
    },
    renamed: {
      type: 'array',
      maxItems: RENAMED_LIMITS.files,
      items: schemaRef('RenamedFile'),
      description: `With \`duplicate_names: rename\`: the files whose names in the archive are not those of the request, also because of \`portable_names\`. The first ${RENAMED_LIMITS.files}, or fewer if their names are long.`,
    },
    renamed_total: count('Number of renamed files.'),
    accepted_at: orNull(TIME, 'Time at which the request was accepted.'),
    started_at: orNull(TIME, 'Time at which the job started.'),
    finished_at: orNull(TIME, 'Time at which the job finished.'),
  }),
  RenamedFile: fields('A file that has another name in the archive.', {
    file_index: count(POSITION),
    name: { ...TEXT, description: 'Name of the file in the archive, without the folder of a BagIt bag.' },
  }),
  Destination: fields('Destination of an archive.', {
    service: { ...TEXT, enum: SERVICES, description: 'Storage service of the bucket.' },
    name: { ...TEXT, description: '`bucket_name` of the request.' },
    key: { ...TEXT, description: '`key` of the request.' },
  }),
  WebhookDelivery: fields('State of a webhook delivery.', {
    ...DELIVERY_FIELDS,
    endpoints: {
      type: 'array',
      maxItems: MAX_ENDPOINTS - 1,
      items: schemaRef('EndpointDelivery'),
      description: 'Deliveries to the further endpoints of the project, which have names.',
    },
  }),
  EndpointDelivery: fields('State of a delivery to an endpoint with a name.', {
    name: { ...TEXT, description: 'Name of the endpoint.' },
    ...DELIVERY_FIELDS,
  }),
  JobTimes: fields('Times of a job.', {
    accepted_at: orNull(TIME, 'Time at which the request was accepted.'),
    started_at: orNull(TIME, 'Time at which the job started; null until then.'),
    finished_at: orNull(TIME, 'Time at which the job succeeded or failed; null until then.'),
  }),
} as const;

function expansion(name: keyof typeof EXPANSION_SCHEMAS, description: string) {
  return {
    ...schemaRef(name),
    description,
  };
}

function expansionOrNull(name: keyof typeof EXPANSION_SCHEMAS, description: string) {
  return {
    oneOf: [schemaRef(name), { type: 'null' }],
    description,
  };
}

const EXPANSION_FIELDS: Readonly<Record<Expansion, unknown>> = {
  progress: expansionOrNull('Progress', 'With `expand=progress`. Null until the job starts.'),
  error: expansionOrNull('JobError', 'With `expand=error`. Why the job failed; null for every other job.'),
  archive: expansionOrNull('Archive', 'With `expand=archive`. Null until the job succeeds.'),
  bucket: expansion('Destination', 'With `expand=bucket`.'),
  webhook: expansionOrNull(
    'WebhookDelivery',
    'With `expand=webhook`. Null if no webhook is sent for the job.',
  ),
  job: expansion('JobTimes', 'With `expand=job`.'),
};

export const STATUS_MEANINGS: Readonly<Record<ApiStatus, string>> = {
  none: 'The job is queued and has not started.',
  processing: 'The job is downloading files and writing the archive.',
  succeeded: 'The archive is in the bucket.',
  failed: 'The job failed. No archive exists, unless the failure code says otherwise.',
};

/** The body of every successful response, as the schemas of the OpenAPI document. */
export const ZIP_SCHEMAS = {
  ZipResponse: {
    type: 'object',
    description: 'The body of every successful response.',
    required: ['data'],
    properties: { data: schemaRef('Zip') },
  },
  Zip: {
    type: 'object',
    description: 'Contains only `uuid`, `status` and `metadata`, unless `expand` requests more.',
    required: ['uuid', 'status', 'metadata'],
    properties: {
      uuid: { type: 'string', format: 'uuid', description: 'Id of the job.' },
      status: {
        type: 'string',
        enum: API_STATUSES,
        'x-enum-descriptions': API_STATUSES.map((status) => STATUS_MEANINGS[status]),
        description: API_STATUSES.map((status) => `\`${status}\`: ${STATUS_MEANINGS[status]}`).join(' '),
      },
      metadata: {
        type: 'object',
        additionalProperties: true,
        description: 'The metadata exactly as sent; `{}` if none was sent.',
      },
      ...EXPANSION_FIELDS,
    },
  },
  ...EXPANSION_SCHEMAS,
} as const;
