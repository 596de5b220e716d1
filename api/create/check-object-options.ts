import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ChosenObjectOptions } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { storeKindOf } from '#runtime/store/store-location.ts';
import {
  findObjectFault,
  findUnsupported,
  mergeObjectOptions,
  type ObjectOptionsFault,
} from '#runtime/zip-request/object-options.ts';
import { type ApiError, parameterInvalid } from '../errors/api-error.ts';
import type { ObjectFields } from './schemas/object-options.ts';

/** The names in requests. */
const NAMES: Readonly<Record<keyof ChosenObjectOptions, keyof ObjectFields>> = {
  contentDisposition: 'content_disposition',
  contentType: 'content_type',
  cacheControl: 'cache_control',
  storageClass: 'storage_class',
  metadata: 'metadata',
  tags: 'tags',
};

function invalid({ field, problem }: ObjectOptionsFault): ApiError {
  const path = `object.${NAMES[field]}`;
  return parameterInvalid('object', `${path} ${problem}.`, { path });
}

/** In an order that does not depend on the request, so that equal requests have equal hashes. */
function sorted(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The options of the object in a body whose types are valid; undefined if it has none. */
export function readObjectOptions(fields: ObjectFields = {}): ChosenObjectOptions | undefined {
  const options = defined({
    contentDisposition: fields.content_disposition,
    contentType: fields.content_type,
    cacheControl: fields.cache_control,
    storageClass: fields.storage_class,
    metadata: fields.metadata && sorted(fields.metadata),
    tags: fields.tags && sorted(fields.tags),
  });
  return Object.keys(options).length === 0 ? undefined : options;
}

/** @throws ApiError parameter_invalid for a value that no store accepts, and for metadata of the service */
export function assertObjectValid(options: ChosenObjectOptions = {}): void {
  const fault = findObjectFault(options);
  if (fault) throw invalid(fault);
}

/** The options that decide about an object, from the strongest. */
export interface ObjectChoices {
  readonly chosen: ChosenObjectOptions | undefined;
  /** Of the project. */
  readonly defaults: ChosenObjectOptions | undefined;
}

/**
 * The options of a job are those of the request and the defaults of the project, and its object also has those of the bucket.
 * @throws ApiError parameter_invalid for an option that the store of the bucket is known not to support, and for metadata or
 * tags that exceed the limits together
 */
export function assertObjectAccepted(
  { chosen = {}, defaults = {} }: ObjectChoices,
  { spec }: ZipBucket,
): void {
  const ofJob = mergeObjectOptions(defaults, chosen);
  const unsupported = findUnsupported(ofJob, storeKindOf(spec));
  if (unsupported && chosen[unsupported.field] !== undefined) throw invalid(unsupported);
  if (unsupported)
    throw invalid({
      ...unsupported,
      problem: `${unsupported.problem}. The project sets it (jobDefaults.objectOptions.${unsupported.field}). Use a bucket that supports it, or change the project`,
    });
  const { metadata, tags } = mergeObjectOptions(spec.objectOptions ?? {}, ofJob);
  const excess = findObjectFault(defined({ metadata, tags }));
  if (excess)
    throw invalid({
      ...excess,
      problem: `${excess.problem}, together with those of the project and the bucket`,
    });
}
