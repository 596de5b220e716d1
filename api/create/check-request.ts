import { type ListedFile, type Service, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import type { ManifestNameRules } from '#runtime/entries/manifest-names.ts';
import {
  type EntryCheckDeps,
  findEntryFaults,
  messageOf,
  placeOf,
} from '#runtime/zip-request/entry-faults.ts';
import { keyProblem } from '#runtime/zip-request/key-problem.ts';
import { nameRules } from '#runtime/zip-request/manifest-choice.ts';
import { projectLimit, sumOfStated } from '#runtime/zip-request/stated-sizes.ts';
import { MAX_METADATA_DEPTH, MAX_URL_BYTES_IN_ALL, type RequestLimits } from '../body/request-limits.ts';
import type { Steps } from '../body/steps.ts';
import type { StrictJson } from '../body/strict-json.ts';
import { type ApiError, parameterInvalid } from '../errors/api-error.ts';
import { assertOptionsAllowed, type OptionRules, type RequestOptions, readOptions } from './check-options.ts';
import { assertSizesFit } from './check-sizes.ts';
import { toListedFile } from './schemas/requested-file.ts';
import type { ZipJobBody, ZipJobBodyCheck } from './schemas/zip-job-request.ts';
import { findUnknownFields } from './unknown-fields.ts';

/** Nesting levels of objects and arrays in a parsed value, including the value itself; stops at `limit + 1`. */
function jsonDepth(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (limit === 0) return 1;
  let deepest = 0;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, jsonDepth(inner, limit - 1));
  return deepest + 1;
}

/** A create request. */
export interface ZipJobRequest {
  readonly bucketName: string;
  readonly service: Service;
  readonly key: string;
  readonly files: readonly ListedFile[];
  /** JSON text of an object, exactly as sent. */
  readonly metadata: string;
  readonly options: RequestOptions;
  /** Value of the header `Ignored-Fields`; absent without ignored fields. */
  readonly ignoredFields?: string;
}

export interface RequestCheckDeps extends EntryCheckDeps, ZipJobBodyCheck {
  readonly limits: RequestLimits;
  readonly options: OptionRules;
  /** Of the largest archive, and so of the largest file. */
  readonly maxFileBytes: number;
}

/** A request whose types are valid, and the body that it was read from. */
export interface TypedRequest {
  readonly request: ZipJobRequest;
  readonly body: ZipJobBody;
  /** The refusal of its first misspelled field. */
  readonly misspelled: ApiError | undefined;
}

function assertMetadata(text: string, { metadata }: ZipJobBody, limits: RequestLimits): void {
  if (Buffer.byteLength(text) > limits.maxMetadataBytes)
    throw parameterInvalid('metadata', `metadata is longer than ${limits.maxMetadataBytes} bytes.`);
  if (jsonDepth(metadata, MAX_METADATA_DEPTH) > MAX_METADATA_DEPTH)
    throw parameterInvalid('metadata', `metadata is nested deeper than ${MAX_METADATA_DEPTH} levels.`);
}

const MIB = 1_024 * 1_024;

function assertUrlBytes(entries: readonly ListedFile[]): void {
  const bytes = entries.reduce((sum, { url }) => sum + Buffer.byteLength(url), 0);
  if (bytes <= MAX_URL_BYTES_IN_ALL) return;
  const fitting = Math.floor((entries.length * MAX_URL_BYTES_IN_ALL) / bytes);
  throw parameterInvalid(
    'urls',
    `These URLs have ${bytes} bytes; at most ${MAX_URL_BYTES_IN_ALL / MIB} MiB: about ${fitting} of these entries fit. Split the files into several archives.`,
  );
}

function* assertFiles(
  entries: readonly ListedFile[],
  rules: ManifestNameRules,
  deps: RequestCheckDeps,
): Steps<void> {
  const { maxFiles } = deps.limits;
  if (entries.length > maxFiles)
    throw parameterInvalid(
      'urls',
      `urls has ${entries.length} entries. An archive can contain at most ${maxFiles} files: split them into several archives.`,
    );
  assertUrlBytes(entries);
  for (const fault of findEntryFaults(entries, rules, deps)) {
    if (fault) throw parameterInvalid('urls', messageOf(fault), { path: placeOf(fault) });
    yield;
  }
}

/**
 * Reads a request whose fields are there and have the right types. The rules of assertAllowed can change between two requests;
 * these cannot.
 * @throws ApiError parameter_missing or parameter_invalid
 */
export function* readTypes(json: StrictJson, deps: Pick<RequestCheckDeps, 'checkBody'>): Steps<TypedRequest> {
  const body = yield* deps.checkBody(json.body);
  const { ignored, misspelled } = yield* findUnknownFields(body);
  const { metadata } = SPEC_DEFAULTS;
  const request = {
    bucketName: body.bucket_name,
    service: body.service ?? SPEC_DEFAULTS.service,
    key: body.key,
    files: body.urls.map(toListedFile),
    metadata: body.metadata === undefined ? metadata : (json.metadataText ?? metadata),
    options: readOptions(body),
    ...(ignored !== '' && { ignoredFields: ignored }),
  };
  return { request, body, misspelled };
}

/**
 * Applies the rules of the project and of the operator, as far as possible without calls to the API server, in the order in which
 * errors are reported: misspelled fields, key, options, urls, metadata.
 * @throws ApiError parameter_invalid
 */
export function* assertAllowed(
  { request, body, misspelled }: TypedRequest,
  deps: RequestCheckDeps,
): Steps<void> {
  if (misspelled !== undefined) throw misspelled;
  const problem = keyProblem(request.key, deps.limits.maxKeyBytes);
  if (problem !== undefined) throw parameterInvalid('key', `key ${problem}.`);
  assertOptionsAllowed(body, deps.options);
  const { defaults } = deps.options;
  yield* assertFiles(request.files, nameRules(request.options, defaults), deps);
  const statedBytes = sumOfStated(request.files);
  assertSizesFit({ ...request, statedBytes }, defaults, projectLimit(deps.maxFileBytes));
  assertMetadata(request.metadata, body, deps.limits);
}
