import type { ZipProject } from '#crds/zip-project.ts';
import { createTaskQueue } from '#runtime/fair/task-queue.ts';
import { type SourceBucketUse, sourceBucketsOf } from '#runtime/zip-request/bucket-url.ts';
import { type FileList, FileListTooLargeError, packFileList } from '#runtime/zip-request/file-list.ts';
import { sumOfStated } from '#runtime/zip-request/stated-sizes.ts';
import { HIGHEST_LIMITS, jsonLimits, type RequestLimits } from '../body/request-limits.ts';
import { createRunSteps, type Steps } from '../body/steps.ts';
import { parseStrictJson, type StrictJson } from '../body/strict-json.ts';
import { ApiError, parameterInvalid } from '../errors/api-error.ts';
import { TooManyValuesError } from '../errors/strict-json-error.ts';
import type { FileBudget } from '../limits/file-budget.ts';
import { assertAllowed, readTypes, type TypedRequest, type ZipJobRequest } from './check-request.ts';
import { withEntryFaults } from './list-entry-faults.ts';
import type { RequestPolicy } from './request-policy.ts';

export interface ReadRequestDeps {
  /** The validation rules of a project. */
  readonly requestPolicy: RequestPolicy;
  readonly limits: RequestLimits;
  readonly fileBudget: FileBudget;
}

/** A request whose files are packed, so that their text is not kept while the job is created. */
export interface PackedRequest extends Omit<ZipJobRequest, 'files'> {
  readonly list: FileList;
  /** The buckets of its files. */
  readonly sourceBuckets: readonly SourceBucketUse[];
  /** Bytes of the files whose size it states. */
  readonly statedBytes: number;
  /** The rule that refuses the request. Undefined: it is valid. */
  readonly refusal?: ApiError;
}

export interface ReadRequestOptions {
  /** The error lists the first invalid entries and counts all. Otherwise, the check ends at the first one. */
  readonly listsFaults?: boolean;
  /**
   * Whether an earlier request may have created the job: a rule that has changed since then must not hide it. Called only if the request
   * would be refused, so that nobody can make the API read, pack or count what it refuses.
   */
  readonly isRetry?: () => Promise<boolean>;
}

/**
 * Parses and validates the body of a create, and packs its files. For a retry, only an error in the JSON or in a type is thrown.
 * @throws StrictJsonError, NotAnObjectError, TooManyValuesError; ApiError parameter_missing, parameter_invalid or rate_limit_exceeded;
 * the errors of isRetry
 */
export type ReadRequest = (
  body: Buffer,
  project: ZipProject,
  options?: ReadRequestOptions,
) => Promise<PackedRequest>;

type Refusable = ZipJobRequest & Pick<PackedRequest, 'refusal'>;

/** A smaller body is read within one turn of the event loop. */
const LARGE_BYTES = 128 * 1024;

/** Entries that are checked or packed, also if they are invalid: that costs as much. More than the limit are refused unchecked. */
function countFiles({ body: { urls } }: Pick<StrictJson, 'body'>, { maxFiles }: RequestLimits): number {
  return Array.isArray(urls) ? Math.min(urls.length, maxFiles) : 0;
}

async function pack({ files, refusal }: Refusable): Promise<FileList> {
  try {
    return await packFileList(files);
  } catch (error) {
    if (!(error instanceof FileListTooLargeError)) throw error;
    if (refusal !== undefined) throw refusal;
    throw parameterInvalid('urls', `urls ${error.message}. Split the files into several archives.`);
  }
}

async function packed(asked: Refusable): Promise<PackedRequest> {
  const { files, ...request } = asked;
  return {
    ...request,
    sourceBuckets: sourceBucketsOf(files),
    statedBytes: sumOfStated(files),
    list: await pack(asked),
  };
}

interface StepsOptions extends Pick<ReadRequestOptions, 'listsFaults'> {
  /** What the body may contain at most. */
  readonly readable: RequestLimits;
  readonly keepsRefusal: boolean;
}

function createSteps({ requestPolicy, fileBudget }: ReadRequestDeps) {
  return function* steps(
    body: Buffer,
    project: ZipProject,
    { listsFaults = false, readable, keepsRefusal }: StepsOptions,
  ): Steps<Refusable> {
    const json = yield* parseStrictJson(body, jsonLimits(readable));
    const policy = requestPolicy(project);
    let typed: TypedRequest | undefined;
    try {
      typed = yield* readTypes(json, policy);
      yield;
      yield* assertAllowed(typed, policy);
      return typed.request;
    } catch (error) {
      const refusal = listsFaults ? yield* withEntryFaults(error, json, policy) : error;
      if (typed !== undefined && keepsRefusal && refusal instanceof ApiError)
        return { ...typed.request, refusal };
      throw refusal;
    } finally {
      fileBudget.spend(project, countFiles(json, readable));
    }
  };
}

/** Large bodies are read one after another: text and values of one can take four times its bytes. Projects are served round-robin. */
export function createReadRequest(deps: ReadRequestDeps): ReadRequest {
  const { limits, fileBudget } = deps;
  const enqueue = createTaskQueue(1);
  const runSteps = createRunSteps();
  const steps = createSteps(deps);
  return async (body, project, options = {}) => {
    const { namespace } = project.metadata;
    const keepsRefusal = options.isRetry !== undefined;
    let retry: Promise<boolean> | undefined;
    async function isRetry(): Promise<boolean> {
      return (retry ??= options.isRetry?.() ?? Promise.resolve(false));
    }
    function inQueue<T>(task: () => Promise<T>): Promise<T> {
      return body.length < LARGE_BYTES ? task() : enqueue(namespace, task);
    }
    function read(readable: RequestLimits): Promise<PackedRequest | Refusable> {
      return inQueue(async () => {
        fileBudget.assertLeft(project);
        const asked = await runSteps(namespace, steps(body, project, { ...options, readable, keepsRefusal }));
        return asked.refusal === undefined ? packed(asked) : asked;
      });
    }
    /** The job of a first request may be larger than the limits allow now. */
    async function readLarger(error: unknown): Promise<PackedRequest | Refusable> {
      if (error instanceof TooManyValuesError && (await isRetry())) return read(HIGHEST_LIMITS);
      throw error;
    }
    const asked = await read(limits).catch(readLarger);
    if ('list' in asked) return asked;
    // Not in the queue, because it may call the API server.
    if (await isRetry()) return inQueue(() => packed(asked));
    throw asked.refusal ?? new Error('the request has neither a list nor a refusal');
  };
}
