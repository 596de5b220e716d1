import { SERVICES } from '#crds/zip-job.ts';

const COMMON = {
  zip_id: { type: 'string', description: 'The `uuid` of the job.' },
  bucket: {
    type: 'object',
    required: ['service', 'name'],
    properties: { service: { type: 'string', enum: SERVICES }, name: { type: 'string' } },
  },
  key: { type: 'string', description: 'Key of the archive in the bucket.' },
  metadata: { type: 'object', description: 'As sent with the request.' },
} as const;
const REQUIRED = ['type', 'zip_id', 'status', 'bucket', 'key', 'metadata'] as const;

/** What is posted to the webhook of a project when a job ends. */
export const WEBHOOK_SCHEMA = {
  title: 'Webhook',
  oneOf: [
    {
      title: 'The archive is in the bucket',
      type: 'object',
      required: REQUIRED,
      properties: {
        type: { const: 'COMPLETED' },
        status: { const: 'succeeded' },
        ...COMMON,
        skipped: {
          type: 'array',
          items: { type: 'integer', minimum: 0 },
          description:
            'Indices in `urls` of files that were left out or replaced; absent when there are none.',
        },
        skipped_total: {
          type: 'integer',
          minimum: 1,
          description: 'How many there are, when `skipped` does not name all.',
        },
      },
    },
    {
      title: 'There is no archive',
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
            code: { type: 'string', description: 'What went wrong, in one word.' },
            message: { type: 'string' },
            file_index: { type: 'integer', minimum: 0, description: 'Index in `urls` of the file.' },
          },
        },
      },
    },
    {
      title: 'A person tries the webhook',
      type: 'object',
      required: ['type', 'project'],
      properties: { type: { const: 'TEST' }, project: { type: 'string' } },
    },
  ],
} as const;
