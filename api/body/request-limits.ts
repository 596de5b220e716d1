import { REQUEST_LIMIT_CONSTANTS, REQUEST_LIMIT_SETTINGS } from '#runtime/zip-request/settings.ts';
import { SOURCE_HEADER_LIMITS } from '#runtime/zip-request/source-headers.ts';
import type { JsonLimits } from './json-limits.ts';

/** Limits of a request; each error message contains the exceeded limit. */
export interface RequestLimits {
  readonly maxFiles: number;
  readonly maxUrlLength: number;
  readonly maxKeyBytes: number;
  readonly maxMetadataBytes: number;
}

/** Bytes of UTF-8 of all URLs of a request, which are most of a large body and of its stored file list. */
export const MAX_URL_BYTES_IN_ALL = 24 * 1_024 * 1_024;

/** Of the metadata as JSON. */
export const MOST_METADATA_BYTES = 16_384;

/** The maximums of the settings. Whether a request can be read and its types are valid must not depend on their values. */
export const HIGHEST_LIMITS: RequestLimits = {
  maxFiles: REQUEST_LIMIT_SETTINGS.maxFiles.maximum,
  maxUrlLength: REQUEST_LIMIT_SETTINGS.maxUrlLength.maximum,
  maxKeyBytes: REQUEST_LIMIT_CONSTANTS.maxKeyBytes,
  maxMetadataBytes: MOST_METADATA_BYTES,
};

/** Maximum nesting of metadata, including the metadata object itself. */
export const MAX_METADATA_DEPTH = 64;
/** Maximum nesting of the body. It allows metadata that is one level too deep, which gets a more specific error. */
const MAX_BODY_DEPTH = MAX_METADATA_DEPTH + 2;

/** The entry, its URL, file name, four expectations and headers, and every header. */
const VALUES_PER_ENTRY = 8 + SOURCE_HEADER_LIMITS.headers;
/** Unknown fields are ignored, so a valid request may contain some. */
const UNKNOWN_VALUES = 1_000;
/** The shortest element of an array and its comma. */
const BYTES_PER_METADATA_VALUE = 2;

/** What the largest valid request contains. */
export function jsonLimits({
  maxFiles,
  maxMetadataBytes,
}: Pick<RequestLimits, 'maxFiles' | 'maxMetadataBytes'>): JsonLimits {
  return {
    maxDepth: MAX_BODY_DEPTH,
    values: {
      entry: VALUES_PER_ENTRY + UNKNOWN_VALUES,
      entries: VALUES_PER_ENTRY * maxFiles + UNKNOWN_VALUES,
      others: Math.ceil(maxMetadataBytes / BYTES_PER_METADATA_VALUE) + UNKNOWN_VALUES,
    },
  };
}
