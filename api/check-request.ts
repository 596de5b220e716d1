import { type ListedFile, type Service, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { isDataUrl, MAX_DATA_BYTES_IN_ALL, readDataUrl } from '#runtime/data-url.ts';
import type { ManifestNameRules } from '#runtime/manifest-names.ts';
import { sourceHeadersProblem } from '#runtime/source-headers.ts';
import { parameterInvalid } from './api-error.ts';
import { keyProblem } from './check-key.ts';
import { checkOptions, nameRules, type OptionRules, type RequestOptions } from './check-options.ts';
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

/** An error of the entry with this index. */
export interface EntryFault {
  readonly index: number;
  readonly problem: string;
}

export interface RequestCheckDeps {
  readonly checkBody: ZipJobBodyCheck;
  /** Describes a URL that is not allowed; undefined if it is. */
  readonly urlProblem: (url: string) => string | undefined;
  /** The first name that is invalid or conflicts with another name. */
  readonly nameFault: (names: readonly string[], rules: ManifestNameRules) => Steps<EntryFault | undefined>;
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

const urlFault = ({ url }: ListedFile, { urlProblem, limits }: RequestCheckDeps): string | undefined => {
  if (url.length > limits.maxUrlLength) return `is longer than ${limits.maxUrlLength} characters`;
  if (!url.isWellFormed()) return 'is not valid Unicode: it contains an unpaired surrogate';
  return urlProblem(url);
};

/** Checks an entry whose content is in its URL, and returns the bytes of the content. */
const inlineBytes = ({ url, headers }: ListedFile, index: number): number => {
  const content = readDataUrl(url);
  if (!content.ok) throw parameterInvalid('urls', `urls[${index}].url ${content.problem}.`);
  if (headers !== undefined)
    throw parameterInvalid('urls', `urls[${index}].headers cannot be sent: the URL is a data: URL.`);
  return content.bytes.length;
};

const checkEntry = (entry: ListedFile, index: number, deps: RequestCheckDeps): number => {
  if (isDataUrl(entry.url)) return inlineBytes(entry, index);
  const problem = urlFault(entry, deps);
  if (problem !== undefined) throw parameterInvalid('urls', `urls[${index}].url ${problem}.`);
  const headers = entry.headers && sourceHeadersProblem(entry.headers);
  if (headers !== undefined) throw parameterInvalid('urls', `urls[${index}].headers ${headers}.`);
  return 0;
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
  let inline = 0;
  for (const [index, entry] of entries.entries()) {
    inline += checkEntry(entry, index, deps);
    if (inline > MAX_DATA_BYTES_IN_ALL)
      throw parameterInvalid(
        'urls',
        `urls[${index}].url exceeds the ${MAX_DATA_BYTES_IN_ALL} bytes that all data: URLs of a request can contain.`,
      );
    yield;
  }
  const fault = yield* deps.nameFault(
    entries.map(({ filename }) => filename),
    rules,
  );
  if (fault) throw parameterInvalid('urls', `urls[${fault.index}].filename ${fault.problem}.`);
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
  const files = yield* checkFiles(body.urls, nameRules(options, deps.options), deps);
  return {
    bucketName: body.bucket_name,
    service: body.service ?? SPEC_DEFAULTS.service,
    key: body.key,
    files,
    metadata: checkMetadata(body, json.metadataText, deps.limits),
    options,
  };
}
