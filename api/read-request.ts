import type { ZipProject } from '#crds/zip-project.ts';
import { type FileList, FileListTooLargeError, packFileList } from '#runtime/zip-request/file-list.ts';
import { parameterInvalid } from './api-error.ts';
import { checkRequest, type ZipJobRequest } from './check-request.ts';
import { parseStrictJson, type StrictJson } from './json/strict-json.ts';
import { withEntryFaults } from './list-entry-faults.ts';
import type { FileBudget } from './rate-limits/file-budget.ts';
import type { RequestPolicy } from './request-policy.ts';
import { jsonLimits, type RequestLimits } from './schemas/limits.ts';
import { createQueue, createRunSteps, type Steps } from './steps.ts';

export interface ReadRequestDeps {
  /** The validation rules of a project. */
  readonly requestPolicy: RequestPolicy;
  readonly limits: RequestLimits;
  readonly fileBudget: FileBudget;
}

/** A validated request whose files are packed, so that their text is not kept while the job is created. */
export interface PackedRequest extends Omit<ZipJobRequest, 'files'> {
  readonly list: FileList;
}

export interface ReadRequestOptions {
  /** The error lists the first invalid entries and counts all. Otherwise, the check ends at the first one. */
  readonly listsFaults?: boolean;
}

/**
 * Parses and validates the body of a create, and packs its files.
 * @throws StrictJsonError, NotAnObjectError, TooManyValuesError; ApiError parameter_missing, parameter_invalid or rate_limit_exceeded
 */
export type ReadRequest = (
  body: Buffer,
  project: ZipProject,
  options?: ReadRequestOptions,
) => Promise<PackedRequest>;

/** A smaller body is read within one turn of the event loop. */
const LARGE_BYTES = 128 * 1024;

/** Entries that are checked, also if they are invalid: checking costs as much. More than the limit are refused unchecked. */
const countFiles = ({ body: { urls } }: Pick<StrictJson, 'body'>, { maxFiles }: RequestLimits): number =>
  Array.isArray(urls) ? Math.min(urls.length, maxFiles) : 0;

const pack = async (files: ZipJobRequest['files']): Promise<FileList> => {
  try {
    return await packFileList(files);
  } catch (error) {
    if (!(error instanceof FileListTooLargeError)) throw error;
    throw parameterInvalid('urls', `urls ${error.message}. Split the files into several archives.`);
  }
};

/** Large bodies are read one after another: text and values of one can take four times its bytes. Projects are served round-robin. */
export const createReadRequest = ({ requestPolicy, limits, fileBudget }: ReadRequestDeps): ReadRequest => {
  const enqueue = createQueue(1);
  const runSteps = createRunSteps();
  const valid = jsonLimits(limits);
  function* steps(
    body: Buffer,
    project: ZipProject,
    { listsFaults }: ReadRequestOptions,
  ): Steps<ZipJobRequest> {
    const json = yield* parseStrictJson(body, valid);
    const policy = requestPolicy(project);
    try {
      return yield* checkRequest(json, policy);
    } catch (error) {
      throw listsFaults === true ? yield* withEntryFaults(error, json, policy) : error;
    } finally {
      fileBudget.spend(project, countFiles(json, limits));
    }
  }
  return (body, project, options = {}) => {
    const { namespace } = project.metadata;
    const read = async (): Promise<PackedRequest> => {
      fileBudget.assertLeft(project);
      const { files, ...request } = await runSteps(namespace, steps(body, project, options));
      return { ...request, list: await pack(files) };
    };
    return body.length < LARGE_BYTES ? read() : enqueue(namespace, read);
  };
};
