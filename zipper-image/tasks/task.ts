import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv, type SchemaObject } from 'ajv';
import {
  COMPRESSIONS,
  type FileEntry,
  ON_CONFLICTS,
  ON_SOURCE_ERRORS,
  PORTABLE_NAMES,
  SERVICES,
} from '#crds/zip-job.ts';
import { BUCKET_SECRET_KEYS, CONTRACT_VERSION, type ZipperTask } from '#crds/zipper-contract.ts';
import { TaskError } from '../status/task-error.ts';

const text = { type: 'string', minLength: 1 } as const;
const optionalText = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const time = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$' } as const;

const bucket = {
  type: 'object',
  required: ['service', 'name'],
  properties: {
    service: { enum: SERVICES },
    name: text,
    region: optionalText,
    host: optionalText,
    accountId: optionalText,
    endpoint: optionalText,
    storageClass: optionalText,
    cacheControl: optionalText,
    contentDisposition: optionalText,
    acl: optionalText,
  },
} as const;

const archive = {
  required: [
    'namespace',
    'zipJob',
    'zipJobUid',
    'key',
    'compression',
    'onConflict',
    'defaultModificationTime',
    'files',
    'startDeadlineSeconds',
  ],
  properties: {
    mode: { const: 'archive' },
    namespace: text,
    zipJob: text,
    zipJobUid: text,
    key: text,
    compression: { enum: COMPRESSIONS },
    onConflict: { enum: ON_CONFLICTS },
    sha256: { type: 'boolean' },
    onSourceError: { enum: ON_SOURCE_ERRORS },
    manifestEntry: text,
    portableNames: { enum: PORTABLE_NAMES },
    fixedModificationTime: time,
    defaultModificationTime: time,
    files: {
      type: 'object',
      required: ['from', 'count'],
      oneOf: [
        {
          required: ['chunks', 'sha256'],
          properties: { from: { const: 'mounted' }, chunks: count, sha256: text, count },
        },
        { properties: { from: { const: 'inline' }, count } },
      ],
    },
    startDeadlineSeconds: { type: 'number', minimum: 0 },
  },
} as const;

const recover = {
  required: ['key', 'uploadState', 'attempt', 'since'],
  properties: { mode: { const: 'recover' }, key: text, attempt: text, since: time },
  oneOf: [
    {
      required: ['uploadId'],
      properties: { uploadState: { enum: ['open', 'committing'] }, uploadId: text },
    },
    { properties: { uploadState: { const: 'unrecorded' } } },
  ],
} as const;

const TASK_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['contractVersion', 'bucket', 'mode'],
  properties: { contractVersion: { const: CONTRACT_VERSION }, bucket },
  discriminator: { propertyName: 'mode' },
  oneOf: [archive, recover, { properties: { mode: { const: 'check-bucket' } } }],
};

const INLINE_FILES_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['files'],
      properties: {
        files: {
          type: 'array',
          items: { type: 'object', required: ['url', 'filename'], properties: { url: text, filename: text } },
        },
      },
    },
  },
};

// Compiling the meta-schema takes longer than everything else; tests validate these schemas.
const ajv = new Ajv({
  strict: true,
  strictRequired: false,
  strictTypes: false,
  discriminator: true,
  meta: false,
  validateSchema: false,
});
const isTask = ajv.compile<ZipperTask>(TASK_SCHEMA);

const complaint = (errors: typeof isTask.errors): string => {
  const first = errors?.[0];
  return first ? `${first.instancePath || 'it'} ${first.message ?? 'is invalid'}` : 'it is invalid';
};

/** @throws TaskError when the document is not a task of this contract's version. */
export const parseTask = (json: string): ZipperTask => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    throw new TaskError('Could not read the task: it is not valid JSON', { cause: error });
  }
  if (isTask(parsed)) return parsed;
  throw new TaskError(
    `Could not read the task: ${complaint(isTask.errors)}; use the same release for the controller and the zipper`,
  );
};

/** @throws TaskError when the file is missing or not a task. */
export const readTask = async (path: string): Promise<ZipperTask> => {
  try {
    return parseTask(await readFile(path, 'utf8'));
  } catch (error) {
    throw error instanceof TaskError
      ? error
      : new TaskError(`Could not read the task: no file at ${path}`, { cause: error });
  }
};

/** The inline files of the ZipJob. @throws TaskError if they do not match the task. */
export const inlineFiles = (zipJob: unknown, expected: number): readonly FileEntry[] => {
  const hasFiles = ajv.compile<{ spec: { files: readonly FileEntry[] } }>(INLINE_FILES_SCHEMA);
  if (!hasFiles(zipJob)) throw new TaskError(`Could not read spec.files: ${complaint(hasFiles.errors)}`);
  const { files } = zipJob.spec;
  if (files.length !== expected)
    throw new TaskError(
      `Could not read spec.files: it has ${files.length} files, but the task has ${expected}`,
    );
  return files.map(({ url, filename }) => ({ url, filename }));
};

export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Reads the mounted Secret of the bucket. @throws TaskError when a key of it is missing. */
export const readCredentials = async (dir: string): Promise<BucketCredentials> => {
  const read = async (name: string): Promise<string> => {
    try {
      return (await readFile(join(dir, name), 'utf8')).trim();
    } catch (error) {
      throw new TaskError(
        `Could not read the Secret of the bucket: the key ${name} is missing. Store the credentials again`,
        { cause: error },
      );
    }
  };
  const [accessKeyId, secretAccessKey] = await Promise.all([
    read(BUCKET_SECRET_KEYS.accessKeyId),
    read(BUCKET_SECRET_KEYS.secretAccessKey),
  ]);
  return { accessKeyId, secretAccessKey };
};
