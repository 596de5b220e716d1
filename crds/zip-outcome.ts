/** How an archive ended: the same in the status of a ZipJob and in the termination message of its pod. */
import type { FromSchema, JsonSchema } from './json-schema.ts';

export const COUNT = { type: 'integer', minimum: 0 } as const;
export const ETAG = { type: 'string', maxLength: 256 } as const;

export const ZIP_RESULT_SCHEMA = {
  type: 'object',
  required: ['bytes', 'etag', 'entries', 'seconds', 'peakMemory', 'retries', 'contractVersion'],
  properties: {
    bytes: COUNT,
    etag: ETAG,
    entries: COUNT,
    /** Indexes of sources that were skipped or replaced by a placeholder (onSourceError). */
    skipped: { type: 'array', items: COUNT },
    /** Number of these sources by FailureCode. */
    skippedCodes: { type: 'object', additionalProperties: COUNT },
    /** Indexes of entries whose source declared no length. */
    lengthUnverified: { type: 'array', items: COUNT },
    /** Indexes of entries whose source sent a Content-Encoding. They contain the encoded bytes. */
    contentEncoded: { type: 'array', items: COUNT },
    /** Entries whose name in the archive is not that of the request, if these were to be renamed. */
    renamed: {
      type: 'object',
      required: ['total', 'files'],
      properties: {
        total: COUNT,
        /** The first ones by index, as many as the limits allow. Without the folder of a bag. */
        files: {
          type: 'array',
          items: {
            type: 'object',
            required: ['fileIndex', 'name'],
            properties: { fileIndex: COUNT, name: { type: 'string' } },
          },
        },
      },
    },
    seconds: { type: 'number', minimum: 0 },
    /** Seconds of these until the last source was read. After that, the zipper only uploads. */
    fetchSeconds: { type: 'number', minimum: 0 },
    /** Peak resident memory of the zipper process in bytes. */
    peakMemory: COUNT,
    retries: COUNT,
    contractVersion: COUNT,
    sha256: { type: 'string' },
    /** Pods that continued the upload of an earlier one. Absent: none. */
    resumes: COUNT,
  },
} as const satisfies JsonSchema;
export type ZipResult = FromSchema<typeof ZIP_RESULT_SCHEMA>;

export const FAILURE_SCHEMA = {
  type: 'object',
  required: ['code', 'retriable'],
  properties: {
    /** A FailureCode of zipper-contract.ts or a reason of conditions.ts. */
    code: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]{0,63}$' },
    message: { type: 'string' },
    fileIndex: COUNT,
    httpStatus: COUNT,
    retriable: { type: 'boolean' },
    /**
     * What became of the upload of a zipper that failed. `aborted`: the store no longer has it, and nothing was published. `open`:
     * nothing was published, but it may remain. `kept`: nothing was published, and the next pod can continue it. Absent: the state of
     * the upload in the status says what is possible.
     */
    upload: { enum: ['aborted', 'open', 'kept'] },
  },
} as const satisfies JsonSchema;
/** Why a job failed; never contains a URL. */
export type Failure = FromSchema<typeof FAILURE_SCHEMA>;

/** Of the list of renamed files: the status of a job must stay small. */
export const RENAMED_LIMITS = { files: 100, nameBytes: 8_192 } as const;

/** Maximum number of failures in a SourceCheck. */
export const MOST_CHECK_FAILURES = 100;

export interface SourceFailure {
  readonly fileIndex: number;
  readonly code: Failure['code'];
  readonly httpStatus?: number;
}

/** What is known of all sources when a job fails because of one. Never contains a URL. */
export interface SourceCheck {
  /** Sources whose outcome is known, including those that were already downloaded. */
  readonly checked: number;
  /** Sources that fail, including those that `failures` has no room for. */
  readonly failed: number;
  /** The first failing sources by index, at most MOST_CHECK_FAILURES. */
  readonly failures: readonly SourceFailure[];
  /** Sum of the lengths that good sources declared. */
  readonly bytes: number;
  /** Number of good sources that declared a length. */
  readonly lengths: number;
}
