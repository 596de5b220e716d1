/** Limits of a request; each error message contains the exceeded limit. */
export interface RequestLimits {
  readonly maxFiles: number;
  readonly maxUrlLength: number;
  readonly maxKeyBytes: number;
  readonly maxMetadataBytes: number;
}

/** Maximum nesting of metadata, including the metadata object itself. */
export const MAX_METADATA_DEPTH = 64;
/** Maximum nesting of the body. It allows metadata that is one level too deep, which gets a more specific error. */
export const MAX_BODY_DEPTH = MAX_METADATA_DEPTH + 2;
