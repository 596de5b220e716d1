import { SERVICES } from '#crds/zip-job.ts';

const COMMON = {
  zip_id: { type: 'string', description: 'The `uuid` of the job.' },
  bucket: {
    type: 'object',
    required: ['service', 'name'],
    properties: { service: { type: 'string', enum: SERVICES }, name: { type: 'string' } },
  },
  key: { type: 'string', description: 'Key of the archive in the bucket.' },
  metadata: { type: 'object', description: 'The metadata of the request, unchanged.' },
} as const;
const REQUIRED = ['type', 'zip_id', 'status', 'bucket', 'key', 'metadata'] as const;

/** The events that are posted to the webhook of a project. */
export const WEBHOOK_SCHEMA = {
  title: 'Webhook',
  oneOf: [
    {
      title: 'Job succeeded',
      type: 'object',
      required: REQUIRED,
      properties: {
        type: { const: 'COMPLETED' },
        status: { const: 'succeeded' },
        ...COMMON,
        skipped: {
          type: 'array',
          items: { type: 'integer', minimum: 0 },
          description: 'Indices in `urls` of files that were skipped or replaced; absent if there are none.',
        },
        skipped_total: {
          type: 'integer',
          minimum: 1,
          description: 'Number of skipped files, if `skipped` does not list all of them.',
        },
      },
    },
    {
      title: 'Job failed',
      type: 'object',
      required: [...REQUIRED, 'error'],
      properties: {
        type: { const: 'FAILED' },
        status: { const: 'failed' },
        ...COMMON,
        error: {
          type: 'object',
          required: ['code', 'message'],
          properties: {
            code: { type: 'string', description: 'Failure code.' },
            message: { type: 'string' },
            file_index: { type: 'integer', minimum: 0, description: 'Index in `urls` of the failing file.' },
          },
        },
      },
    },
    {
      title: 'Test event',
      type: 'object',
      required: ['type', 'project'],
      properties: { type: { const: 'TEST' }, project: { type: 'string' } },
    },
  ],
} as const;
