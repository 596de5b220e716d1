/** The task of a zipper pod, which the controller writes as JSON into a pod annotation. */
import type { FromSchema, JsonSchema } from './json-schema.ts';
import { ENCRYPTIONS } from './zip-bucket.ts';
import {
  COMPRESSIONS,
  DUPLICATE_NAMES,
  MANIFEST_FORMATS,
  ON_CONFLICTS,
  ON_SOURCE_ERRORS,
  PORTABLE_NAMES,
  SERVICES,
} from './zip-job.ts';
import { COUNT } from './zip-outcome.ts';
import { CONTRACT_VERSION } from './zipper-contract.ts';

const TEXT = { type: 'string', minLength: 1 } as const;
const OPTIONAL_TEXT = { type: 'string' } as const;
const TEXTS = { type: 'object', additionalProperties: OPTIONAL_TEXT } as const;
/** RFC 3339. */
const TIME = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$' } as const;

/** How to get credentials for the token in the directory of the bucket. */
const WEB_IDENTITY_SCHEMA = {
  type: 'object',
  required: ['roleArn', 'audience'],
  properties: {
    roleArn: TEXT,
    audience: TEXT,
    stsEndpoint: OPTIONAL_TEXT,
    stsRegion: OPTIONAL_TEXT,
    durationSeconds: COUNT,
  },
} as const satisfies JsonSchema;

/** Where a bucket is, and how to get credentials for it. */
const PLACE = {
  service: { enum: SERVICES },
  name: TEXT,
  region: OPTIONAL_TEXT,
  host: OPTIONAL_TEXT,
  accountId: OPTIONAL_TEXT,
  endpoint: OPTIONAL_TEXT,
  /** PEM of certificate authorities that count for this store only. */
  caBundle: OPTIONAL_TEXT,
  /** Absent: the directory of the bucket has the keys. */
  webIdentity: WEB_IDENTITY_SCHEMA,
} as const;

/** The bucket for the zipper. Credentials are mounted and never part of the task. */
const BUCKET_SCHEMA = {
  type: 'object',
  required: ['service', 'name'],
  properties: {
    ...PLACE,
    storageClass: OPTIONAL_TEXT,
    cacheControl: OPTIONAL_TEXT,
    contentDisposition: OPTIONAL_TEXT,
    acl: OPTIONAL_TEXT,
    serverSideEncryption: { enum: ENCRYPTIONS },
    kmsKeyId: OPTIONAL_TEXT,
    bucketKeyEnabled: { type: 'boolean' },
    metadata: TEXTS,
    tags: TEXTS,
  },
} as const satisfies JsonSchema;
export type TaskBucket = FromSchema<typeof BUCKET_SCHEMA>;

/** A bucket whose objects are sources. Its credentials are in SOURCES_DIR/<position in the list>. */
const SOURCE_BUCKET_SCHEMA = {
  type: 'object',
  required: ['zipBucket', 'service', 'name'],
  properties: {
    /** Name of the ZipBucket. The policy of zipper Jobs looks for it when it allows a Secret. */
    zipBucket: TEXT,
    ...PLACE,
  },
} as const satisfies JsonSchema;
export type TaskSourceBucket = FromSchema<typeof SOURCE_BUCKET_SCHEMA>;

/** `mounted`: chunks 0 to chunks-1 under the files directory. `inline`: spec.files of the response to the first status apply. */
const FILES_SCHEMA = {
  type: 'object',
  discriminator: { propertyName: 'from' },
  oneOf: [
    {
      type: 'object',
      required: ['from', 'chunks', 'count', 'sha256'],
      properties: { from: { const: 'mounted' }, chunks: COUNT, count: COUNT, sha256: TEXT },
    },
    {
      type: 'object',
      required: ['from', 'count'],
      properties: { from: { const: 'inline' }, count: COUNT },
    },
  ],
} as const satisfies JsonSchema;

/** Options of the archive. They take precedence over those of the bucket. */
const OBJECT_OPTIONS_SCHEMA = {
  type: 'object',
  properties: {
    contentDisposition: OPTIONAL_TEXT,
    contentType: OPTIONAL_TEXT,
    cacheControl: OPTIONAL_TEXT,
    storageClass: OPTIONAL_TEXT,
    metadata: TEXTS,
    tags: TEXTS,
  },
} as const satisfies JsonSchema;

/**
 * A job of another namespace may write the same object. With the same credentials, nothing in a listing distinguishes its uploads
 * from those of this job, so only recorded ones are aborted.
 */
const SHARED_TARGET = { type: 'boolean' } as const;

const ARCHIVE_SCHEMA = {
  type: 'object',
  required: [
    'mode',
    'namespace',
    'zipJob',
    'zipJobUid',
    'key',
    'compression',
    'onConflict',
    'defaultModificationTime',
    'files',
    'startDeadlineSeconds',
    'activeDeadlineSeconds',
  ],
  properties: {
    mode: { const: 'archive' },
    namespace: TEXT,
    zipJob: TEXT,
    zipJobUid: TEXT,
    key: TEXT,
    compression: { enum: COMPRESSIONS },
    onConflict: { enum: ON_CONFLICTS },
    /** Whether the result contains the SHA-256 of the archive. */
    sha256: { type: 'boolean' },
    /** Absent: `Fail`. */
    onSourceError: { enum: ON_SOURCE_ERRORS },
    /** Name of the JSON manifest. Absent: no JSON manifest. */
    manifestEntry: TEXT,
    /** Absent: `json`. */
    manifestFormat: { enum: MANIFEST_FORMATS },
    /** Whether sources are requested one after another, each once unless it fails. Absent: the setting of the zipper. */
    sequential: { type: 'boolean' },
    objectOptions: OBJECT_OPTIONS_SCHEMA,
    /** Absent: `keep`. */
    portableNames: { enum: PORTABLE_NAMES },
    /** Absent: `refuse`. */
    duplicateNames: { enum: DUPLICATE_NAMES },
    fixedModificationTime: TIME,
    /** Modification time of entries whose source reports none: the job's creation. */
    defaultModificationTime: TIME,
    files: FILES_SCHEMA,
    /** Those of the ZipJob, in its order. Absent: none. */
    sourceBuckets: { type: 'array', items: SOURCE_BUCKET_SCHEMA },
    /** Maximum time to wait until the pod is active. */
    startDeadlineSeconds: { type: 'number', minimum: 0 },
    /** Time limit of the job. No pod needs longer. */
    activeDeadlineSeconds: { type: 'number', minimum: 0 },
    /** Public key of the controller (X25519, base64url), for what only the operator may read in the termination message. */
    sealingKey: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    sharedTarget: SHARED_TARGET,
  },
} as const satisfies JsonSchema;

/** What the attempt recorded before it sent Complete. */
const FINISH_SCHEMA = {
  type: 'object',
  required: ['parts', 'partsDigest', 'onConflict'],
  properties: { parts: COUNT, partsDigest: TEXT, onConflict: { enum: ON_CONFLICTS } },
} as const satisfies JsonSchema;

const RECOVERY_SCHEMA = {
  type: 'object',
  required: ['mode', 'zipJobUid', 'key', 'attempt', 'since', 'endedAt', 'endedAgeSeconds'],
  properties: {
    mode: { const: 'recover' },
    zipJobUid: TEXT,
    key: TEXT,
    /** podUid of the pod that created the upload, which is in the object metadata of its archive. */
    attempt: TEXT,
    /** Start of the attempt: it started no upload before. By the clock of the API server, as is `endedAt`. */
    since: TIME,
    /** When the attempt was deactivated: it recorded no upload after that. */
    endedAt: TIME,
    /** How long that was ago when this task was written, which both say together. Needs no clock of the node. */
    endedAgeSeconds: { type: 'number', minimum: 0 },
    /** Size of the archive that a committing attempt recorded. */
    bytes: COUNT,
    sharedTarget: SHARED_TARGET,
  },
  discriminator: { propertyName: 'uploadState' },
  oneOf: [
    {
      type: 'object',
      required: ['uploadState', 'uploadId'],
      properties: {
        uploadState: { enum: ['open', 'committing'] },
        uploadId: TEXT,
        /** Complete the upload if its parts are these, instead of aborting it. Only with `committing`. */
        finish: FINISH_SCHEMA,
      },
    },
    {
      type: 'object',
      required: ['uploadState'],
      /** The attempt may have started an upload of which only the store knows. */
      properties: { uploadState: { const: 'unrecorded' } },
    },
  ],
} as const satisfies JsonSchema;

const CHECK_BUCKET_SCHEMA = {
  type: 'object',
  required: ['mode'],
  properties: { mode: { const: 'check-bucket' } },
} as const satisfies JsonSchema;

const SETTINGS_SCHEMA = { type: 'object' } as const satisfies JsonSchema;

export const ZIPPER_TASK_SCHEMA = {
  type: 'object',
  required: ['contractVersion', 'bucket'],
  properties: {
    contractVersion: { const: CONTRACT_VERSION },
    bucket: BUCKET_SCHEMA,
    /** Those that the operator has set, by field. The zipper knows the others and the limits of all. */
    settings: SETTINGS_SCHEMA,
  },
  discriminator: { propertyName: 'mode' },
  oneOf: [ARCHIVE_SCHEMA, RECOVERY_SCHEMA, CHECK_BUCKET_SCHEMA],
} as const satisfies JsonSchema;
export type ZipperTask = FromSchema<typeof ZIPPER_TASK_SCHEMA>;
export type ArchiveTask = Extract<ZipperTask, { mode: 'archive' }>;
export type RecoveryTask = Extract<ZipperTask, { mode: 'recover' }>;
export type CheckBucketTask = Extract<ZipperTask, { mode: 'check-bucket' }>;
