import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';
import { COUNT } from '#crds/zip-outcome.ts';
import { decoderOf } from '#runtime/config/validator.ts';
import { validateOwnCheckpoint } from '../validators/documents.ts';

const TEXT = { type: 'string' } as const;

/** The part of its own ZipCheckpoint that a zipper reads. */
export const OWN_CHECKPOINT_SCHEMA = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: { type: 'object', required: ['zipJobUid'], properties: { zipJobUid: TEXT } },
    status: {
      type: 'object',
      required: ['sequence', 'uploadId', 'owner', 'plan', 'records'],
      properties: { sequence: COUNT, uploadId: TEXT, owner: TEXT, plan: TEXT, records: TEXT },
    },
  },
} as const satisfies JsonSchema;
type OwnCheckpoint = FromSchema<typeof OWN_CHECKPOINT_SCHEMA>;

/** @throws TypeError */
export const decodeOwnCheckpoint: (value: unknown) => OwnCheckpoint =
  decoderOf<typeof OWN_CHECKPOINT_SCHEMA>(validateOwnCheckpoint);
