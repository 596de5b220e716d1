import type { SourceError } from './source-error.ts';

/** An entry whose whole body is at most this long arrives as `small`, whatever its timing and its declared length. */
export const SMALL_ENTRY_BYTES = 1024 * 1024;

/** One source, opened, in the order of the file list. */
export interface SourceEntry {
  readonly index: number;
  readonly filename: string;
  /** Content-Length of the answer; undefined when there is none or the body is content-encoded. */
  readonly declaredLength: number | undefined;
  readonly lastModified: Date | undefined;
  /** The body ended by a close of the connection and no length was declared: a cut cannot be told from the end. */
  readonly lengthUnverified: boolean;
  /** The source applied a Content-Encoding; the bytes are kept as they came. */
  readonly contentEncoded: boolean;
  /**
   * The bytes in order, to be read once. A chunk belongs to the consumer until it asks for the next. Ends exactly at the
   * end of the source.
   * @throws SourceError
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body when it is at most SMALL_ENTRY_BYTES long; `body` then yields exactly this. */
  readonly small: Uint8Array | undefined;
  /** There is no file, and this is why; only when failures are reported instead of thrown. `body` is empty then. */
  readonly failure?: SourceError;
}

export interface SourceReader {
  /**
   * Every source in order, to be iterated once; read an entry's body before asking for the next entry.
   * @throws SourceError of the earliest failing entry, once every entry before it was consumed.
   */
  entries(): AsyncIterable<SourceEntry>;
  /** Body bytes received so far, repeated downloads included. */
  readonly bytesRead: number;
  /** Further tries so far, over all sources. */
  readonly retries: number;
}
