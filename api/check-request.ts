import { type ListedFile, type Service, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import type { ManifestNameRules } from '#runtime/manifest-names.ts';
import { type EntryCheckDeps, findEntryFaults, messageOf } from '#runtime/zip-request/entry-faults.ts';
import { keyProblem } from '#runtime/zip-request/key-problem.ts';
import { nameRules } from '#runtime/zip-request/manifest-choice.ts';
import { parameterInvalid } from './api-error.ts';
import { checkOptions, type OptionRules, type RequestOptions } from './check-options.ts';
import { jsonDepth } from './json/json-depth.ts';
import type { StrictJson } from './json/strict-json.ts';
import { MAX_METADATA_DEPTH, type RequestLimits } from './schemas/limits.ts';
import type { ZipJobBody, ZipJobBodyCheck } from './schemas/zip-job-request.ts';
import type { Steps } from './steps.ts';

/** A validated create request. */
export interface ZipJobRequest {
  readonly bucketName: string;
  readonly service: Service;
  readonly key: string;
  readonly files: readonly ListedFile[];
  /** JSON text of an object, exactly as sent. */
  readonly metadata: string;
  readonly options: RequestOptions;
}

export interface RequestCheckDeps extends EntryCheckDeps, ZipJobBodyCheck {
  readonly limits: RequestLimits;
  readonly options: OptionRules;
}

const checkMetadata = (body: ZipJobBody, text: string | undefined, limits: RequestLimits): string => {
  if (body.metadata === undefined || text === undefined) return SPEC_DEFAULTS.metadata;
  if (Buffer.byteLength(text) > limits.maxMetadataBytes)
    throw parameterInvalid('metadata', `metadata is longer than ${limits.maxMetadataBytes} bytes.`);
  if (jsonDepth(body.metadata, MAX_METADATA_DEPTH) > MAX_METADATA_DEPTH)
    throw parameterInvalid('metadata', `metadata is nested deeper than ${MAX_METADATA_DEPTH} levels.`);
  return text;
};

function* checkFiles(
  entries: readonly ListedFile[],
  rules: ManifestNameRules,
  deps: RequestCheckDeps,
): Steps<readonly ListedFile[]> {
  const { maxFiles } = deps.limits;
  if (entries.length > maxFiles)
    throw parameterInvalid(
      'urls',
      `urls has ${entries.length} entries. An archive can contain at most ${maxFiles} files: split them into several archives.`,
    );
  for (const fault of findEntryFaults(entries, rules, deps)) {
    if (fault) throw parameterInvalid('urls', messageOf(fault));
    yield;
  }
  return entries.map(({ url, filename, headers }) => ({ url, filename, ...(headers && { headers }) }));
}

/**
 * Validates a request as far as possible without calls to the API server, in the order in which errors are reported:
 * missing fields, types, then bucket_name, key, options, urls, metadata.
 * @throws ApiError parameter_missing or parameter_invalid
 */
export function* checkRequest(json: StrictJson, deps: RequestCheckDeps): Steps<ZipJobRequest> {
  const body = deps.checkBody(json.body);
  yield;
  const problem = keyProblem(body.key, deps.limits.maxKeyBytes);
  if (problem !== undefined) throw parameterInvalid('key', problem);
  const options = checkOptions(body, deps.options);
  const files = yield* checkFiles(body.urls, nameRules(options, deps.options.defaults), deps);
  return {
    bucketName: body.bucket_name,
    service: body.service ?? SPEC_DEFAULTS.service,
    key: body.key,
    files,
    metadata: checkMetadata(body, json.metadataText, deps.limits),
    options,
  };
}
