import type { ZipProject } from '#crds/zip-project.ts';
import { checkRequest, type ZipJobRequest } from './check-request.ts';
import { parseStrictJson } from './json/strict-json.ts';
import type { RequestPolicy } from './request-policy.ts';
import { jsonLimits, type RequestLimits } from './schemas/limits.ts';
import { createQueue, runSteps, type Steps } from './steps.ts';

export interface ReadRequestDeps {
  /** The validation rules of a project. */
  readonly requestPolicy: RequestPolicy;
  readonly limits: RequestLimits;
}

/**
 * Parses and validates the body of a create.
 * @throws StrictJsonError, TooManyValuesError; ApiError parameter_missing or parameter_invalid
 */
export type ReadRequest = (body: Buffer, project: ZipProject) => Promise<ZipJobRequest>;

/** A smaller body is read within one turn of the event loop. */
const LARGE_BYTES = 128 * 1024;

/** Large bodies are read one after another: text and values of one can take four times its bytes. */
export const createReadRequest = ({ requestPolicy, limits }: ReadRequestDeps): ReadRequest => {
  const enqueue = createQueue();
  const valid = jsonLimits(limits);
  function* steps(body: Buffer, project: ZipProject): Steps<ZipJobRequest> {
    const json = yield* parseStrictJson(body, valid);
    return yield* checkRequest(json, requestPolicy(project));
  }
  return (body, project) => {
    const read = (): Promise<ZipJobRequest> => runSteps(steps(body, project));
    return body.length < LARGE_BYTES ? read() : enqueue(read);
  };
};
