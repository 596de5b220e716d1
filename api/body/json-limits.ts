export interface JsonLimits {
  /** Maximum nesting of objects and arrays. */
  readonly maxDepth: number;
  /** Maximum numbers of JSON values. Parsing many small values takes far more time and memory than the text. */
  readonly values: {
    /** In one entry of `urls`. */
    readonly entry: number;
    /** In all entries of `urls`. */
    readonly entries: number;
    /** In the rest of the body. */
    readonly others: number;
  };
}
