/** The termination message of a zipper pod: JSON of at most 4 KiB. */
import type { FromSchema, JsonSchema } from './json-schema.ts';
import { COUNT, ETAG, FAILURE_SCHEMA, ZIP_RESULT_SCHEMA } from './zip-outcome.ts';
import { ZIPPER_MODES } from './zipper-contract.ts';

const RECOVERY_OUTCOME_SCHEMA = {
  type: 'object',
  discriminator: { propertyName: 'outcome' },
  oneOf: [
    {
      type: 'object',
      required: ['outcome', 'bytes', 'etag'],
      properties: { outcome: { const: 'published' }, bytes: COUNT, etag: ETAG },
    },
    { type: 'object', required: ['outcome'], properties: { outcome: { const: 'absent' } } },
    {
      type: 'object',
      required: ['outcome'],
      properties: {
        outcome: { const: 'unknown' },
        missingPermission: { type: 'string' },
        /** The upload was gone before the first abort, and the archive did not appear while it could still be assembled. */
        goneBeforeAbort: { type: 'boolean' },
      },
    },
  ],
} as const satisfies JsonSchema;
/** Result of a recovery pod. `published`: the attempt wrote the object at the key. `absent`: it did not, and no longer can. */
export type RecoveryOutcome = FromSchema<typeof RECOVERY_OUTCOME_SCHEMA>;

const BUCKET_CHECK_SCHEMA = {
  type: 'object',
  required: ['ok', 'missingPermissions'],
  properties: {
    /** Whether archives can be written. */
    ok: { type: 'boolean' },
    /** Names as in S3 policies, including permissions that archives do not need. */
    missingPermissions: { type: 'array', items: { type: 'string' } },
    failure: FAILURE_SCHEMA,
  },
} as const satisfies JsonSchema;
/** Result of a check-bucket pod. */
export type BucketCheck = FromSchema<typeof BUCKET_CHECK_SCHEMA>;

export const TERMINATION_MESSAGE_SCHEMA = {
  type: 'object',
  required: ['contractVersion'],
  properties: {
    contractVersion: { type: 'integer', minimum: 1 },
    /** Number of uploads that could not be aborted or found. Absent: none. */
    abortFailures: COUNT,
    /** The response to the start of an upload was lost, so the store may have an unrecorded upload. */
    startUnconfirmed: { type: 'boolean' },
    /** Of a recovery: it sent a Complete, which the store may still carry out. */
    completeSent: { type: 'boolean' },
    /** Why sources were unreachable, for the controller alone. In every message of a task with a sealing key, as long in each. */
    sealed: { type: 'string' },
  },
  oneOf: [
    {
      type: 'object',
      required: ['mode', 'result'],
      properties: { mode: { const: 'archive' }, result: ZIP_RESULT_SCHEMA },
    },
    {
      type: 'object',
      required: ['mode', 'failure'],
      properties: { mode: { enum: ZIPPER_MODES }, failure: FAILURE_SCHEMA },
    },
    {
      type: 'object',
      required: ['mode', 'recovered'],
      properties: { mode: { const: 'recover' }, recovered: RECOVERY_OUTCOME_SCHEMA },
    },
    {
      type: 'object',
      required: ['mode', 'check'],
      properties: { mode: { const: 'check-bucket' }, check: BUCKET_CHECK_SCHEMA },
    },
  ],
} as const satisfies JsonSchema;
export type TerminationMessage = FromSchema<typeof TERMINATION_MESSAGE_SCHEMA>;

/** Optional fields of every termination message. */
export type UploadsLeft = Pick<TerminationMessage, 'abortFailures' | 'startUnconfirmed' | 'completeSent'>;
