import { SERVICES } from '#crds/zip-job.ts';
import { schemaRef } from './schema-ref.ts';

const COMMON = {
  zip_id: { type: 'string', description: 'The `uuid` of the zip.' },
  bucket: schemaRef('EventBucket'),
  key: { type: 'string', description: 'Key of the archive in the bucket.' },
  metadata: {
    type: 'object',
    additionalProperties: true,
    description: 'The metadata of the request, unchanged.',
  },
} as const;
const REQUIRED = ['type', 'zip_id', 'status', 'bucket', 'key', 'metadata'] as const;

function one(value: string, description: string) {
  return { type: 'string', enum: [value], description };
}

/** The events that are posted to the webhook of a project, as the schemas of the OpenAPI document. */
export const WEBHOOK_SCHEMAS = {
  WebhookEvent: {
    description: 'The body of a webhook. `type` says which event it is.',
    oneOf: [schemaRef('ZipCompletedEvent'), schemaRef('ZipFailedEvent'), schemaRef('TestEvent')],
    discriminator: {
      propertyName: 'type',
      mapping: {
        COMPLETED: schemaRef('ZipCompletedEvent').$ref,
        FAILED: schemaRef('ZipFailedEvent').$ref,
        TEST: schemaRef('TestEvent').$ref,
      },
    },
  },
  ZipCompletedEvent: {
    type: 'object',
    description: 'The job succeeded, and its archive is in the bucket.',
    required: REQUIRED,
    properties: {
      type: one('COMPLETED', 'Type of the event.'),
      status: one('succeeded', 'Status of the job.'),
      ...COMMON,
      skipped: {
        type: 'array',
        items: { type: 'integer', minimum: 0 },
        description:
          'Files that were skipped or replaced: their positions in `urls`, counted from 0. Absent if there are none.',
      },
      skipped_total: {
        type: 'integer',
        minimum: 1,
        description: 'Number of skipped files, if `skipped` does not list all of them.',
      },
    },
  },
  ZipFailedEvent: {
    type: 'object',
    description: 'The job failed. The description of its failure code says whether an archive may exist.',
    required: [...REQUIRED, 'error'],
    properties: {
      type: one('FAILED', 'Type of the event.'),
      status: one('failed', 'Status of the job.'),
      ...COMMON,
      error: {
        ...schemaRef('JobError'),
        description:
          'Why the job failed, as with `expand=error`. The body is smaller than 20 kB: a long `message` is truncated, and `files` has at most the first 20 files, as many as fit.',
      },
    },
  },
  TestEvent: {
    type: 'object',
    description: 'A user sent a test event from the dashboard or the command line.',
    required: ['type', 'project'],
    properties: {
      type: one('TEST', 'Type of the event.'),
      project: { type: 'string', description: 'Name of the project.' },
    },
  },
  EventBucket: {
    type: 'object',
    description: 'The bucket of the archive.',
    required: ['service', 'name'],
    properties: {
      service: { type: 'string', enum: SERVICES, description: 'Storage service of the bucket.' },
      name: { type: 'string', description: '`bucket_name` of the request.' },
    },
  },
} as const;
