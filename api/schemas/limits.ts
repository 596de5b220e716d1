/** What a request may hold at most; every figure stands in the message of the answer that refuses more. */
export interface RequestLimits {
  readonly maxFiles: number;
  readonly maxUrlLength: number;
  readonly maxKeyBytes: number;
  readonly maxMetadataBytes: number;
}

/** Levels of objects and arrays inside metadata, its own object counted. */
export const MAX_METADATA_DEPTH = 64;
/** Deepest body that is looked at: a body object and a metadata object that is one level too deep, told apart from deeper nonsense. */
export const MAX_BODY_DEPTH = MAX_METADATA_DEPTH + 2;
