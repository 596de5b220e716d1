import { readFile } from 'node:fs/promises';
import { bucketResourceName } from '#crds/api-group.ts';
import type { FileEntry } from '#crds/zip-job.ts';
import type { ArchiveTask, ZIPPER_TASK_SCHEMA, ZipperTask } from '#crds/zipper-task.ts';
import { decoderOf } from '#runtime/config/validator.ts';
import { expectationsOf } from '#runtime/entries/expectations.ts';
import { toError } from '#runtime/errors.ts';
import type { OwnZipJob } from '../status/own-zip-job.ts';
import { TaskError } from '../status/task-error.ts';
import { validateTask } from '../validators/documents.ts';

const decodeTask = decoderOf<typeof ZIPPER_TASK_SCHEMA>(validateTask);

function decode(parsed: unknown): ZipperTask {
  try {
    return decodeTask(parsed);
  } catch (error) {
    throw new TaskError(
      `Could not read the task: ${toError(error).message}; use the same release for the controller and the zipper`,
      { cause: error },
    );
  }
}

/**
 * Only text as JSON.stringify writes it: admission policies look for names of buckets in it, and must read the same names.
 * @throws TaskError when the document is not a task of this contract's version.
 */
export function parseTask(json: string): ZipperTask {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    throw new TaskError('Could not read the task: it is not valid JSON', { cause: error });
  }
  if (JSON.stringify(parsed) !== json)
    throw new TaskError(
      'Could not read the task: it is not JSON as the controller writes it; use the same release for the controller and the zipper',
    );
  return decode(parsed);
}

/** @throws TaskError when the file is missing or not a task. */
export async function readTask(path: string): Promise<ZipperTask> {
  try {
    return parseTask(await readFile(path, 'utf8'));
  } catch (error) {
    throw error instanceof TaskError
      ? error
      : new TaskError(`Could not read the task: no file at ${path}`, { cause: error });
  }
}

/**
 * Compares the buckets of the task with those of the ZipJob, which the API server reports, so that a task cannot name more.
 * @throws TaskError
 */
export function assertSourceBuckets({ sourceBuckets = [] }: ArchiveTask, { spec }: OwnZipJob): void {
  const extra = sourceBuckets.find(
    ({ zipBucket, service, name }) =>
      spec.sourceBuckets?.includes(zipBucket) !== true || zipBucket !== bucketResourceName(service, name),
  );
  if (extra)
    throw new TaskError(
      `Could not read files from bucket ${extra.zipBucket}: spec.sourceBuckets of the ZipJob does not contain it`,
    );
}

/** The inline files of the ZipJob. @throws TaskError if they do not match the task. */
export function inlineFiles({ spec }: OwnZipJob, expected: number): readonly FileEntry[] {
  const files = spec.files ?? [];
  if (files.length !== expected)
    throw new TaskError(
      `Could not read spec.files: it has ${files.length} files, but the task has ${expected}`,
    );
  return files.map(({ url, filename, ...stated }) => ({ url, filename, ...expectationsOf(stated) }));
}
