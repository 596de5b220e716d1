import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';
import { COUNTED_CLASSES, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { COUNT } from '#crds/zip-outcome.ts';
import { decoderOf } from '#runtime/config/validator.ts';
import { validateOwnZipJob } from '../validators/documents.ts';

const TEXT = { type: 'string' } as const;

/** The part of its own ZipJob that a zipper reads. */
export const OWN_ZIP_JOB_SCHEMA = {
  type: 'object',
  required: ['metadata', 'spec'],
  properties: {
    metadata: { type: 'object', required: ['uid'], properties: { uid: TEXT } },
    spec: {
      type: 'object',
      properties: {
        maxAttempts: { type: 'integer' },
        sourceBuckets: { type: 'array', items: TEXT },
        files: {
          type: 'array',
          items: {
            type: 'object',
            required: ['url', 'filename'],
            properties: {
              url: TEXT,
              filename: TEXT,
              size: COUNT,
              sha256: TEXT,
              crc32: TEXT,
              contentType: TEXT,
            },
          },
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        attempts: {
          type: 'array',
          items: {
            type: 'object',
            required: ['podUid'],
            properties: { podUid: TEXT, class: TEXT, exitCode: { type: 'integer' } },
          },
        },
        progressIntervalSeconds: { type: 'integer', minimum: 1 },
        checkpointed: { type: 'boolean' },
        inherits: {
          type: 'object',
          required: ['uploadId', 'owner', 'partSize', 'checkpoint', 'resumes'],
          properties: {
            uploadId: TEXT,
            owner: TEXT,
            partSize: COUNT,
            checkpoint: COUNT,
            resumes: COUNT,
            adoptedBy: TEXT,
          },
        },
      },
    },
  },
} as const satisfies JsonSchema;
export type OwnZipJob = FromSchema<typeof OWN_ZIP_JOB_SCHEMA>;

/** @throws TypeError */
export const decodeOwnZipJob = decoderOf<typeof OWN_ZIP_JOB_SCHEMA>(validateOwnZipJob);

/** True if the job fails when this attempt does, as the controller and the Job count. */
export function isLastAttempt({ spec, status }: OwnZipJob): boolean {
  const { maxAttempts = SPEC_DEFAULTS.maxAttempts } = spec;
  function isCounted(attempt: string | undefined): boolean {
    return COUNTED_CLASSES.some((one) => one === attempt);
  }
  const failed = (status?.attempts ?? []).filter((attempt) => isCounted(attempt.class)).length;
  return failed + 1 >= maxAttempts;
}
