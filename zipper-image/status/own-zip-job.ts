import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';
import { decoderOf } from '#runtime/validator.ts';
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
        files: {
          type: 'array',
          items: { type: 'object', required: ['url', 'filename'], properties: { url: TEXT, filename: TEXT } },
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        attempts: {
          type: 'array',
          items: { type: 'object', required: ['podUid'], properties: { podUid: TEXT } },
        },
      },
    },
  },
} as const satisfies JsonSchema;
export type OwnZipJob = FromSchema<typeof OWN_ZIP_JOB_SCHEMA>;

/** @throws TypeError */
export const decodeOwnZipJob = decoderOf<typeof OWN_ZIP_JOB_SCHEMA>(validateOwnZipJob);

/** True if another pod had the job before: only then can there be an upload that nobody recorded. */
export const hadOtherAttempts = ({ status }: OwnZipJob, podUid: string): boolean =>
  status?.attempts?.some((attempt) => attempt.podUid !== podUid) === true;
