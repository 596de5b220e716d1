import type { SourceError } from './source-error.ts';

/** Maximum size of an entry whose whole body is in `small`, independent of timing and declared length. */
export const SMALL_ENTRY_BYTES = 1024 * 1024;

/** One opened source, in the order of the file list. */
export interface SourceEntry {
  readonly index: number;
  readonly filename: string;
  /** Content-Length of the response; undefined if there is none or the body is content-encoded. */
  readonly declaredLength: number | undefined;
  readonly lastModified: Date | undefined;
  /** The body ended with the connection and no length was declared, so a truncated body would look the same. */
  readonly lengthUnverified: boolean;
  /** The source applied a Content-Encoding. The bytes are kept as received. */
  readonly contentEncoded: boolean;
  /**
   * The bytes in order, to be read once. A chunk is valid until the next one is requested. Ends exactly at the
   * end of the source.
   * @throws SourceError
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body if it has at most SMALL_ENTRY_BYTES; `body` then yields exactly this. */
  readonly small: Uint8Array | undefined;
  /** Why the file is missing, if failures are reported instead of thrown. `body` is empty then. */
  readonly failure?: SourceError;
}

export interface SourceReader {
  /**
   * Every source in order, to be iterated once. Read the body of an entry before you request the next entry.
   * @throws SourceError of the first entry that fails, after every entry before it was consumed
   */
  entries(): AsyncIterable<SourceEntry>;
  /** Received body bytes, including repeated downloads. */
  readonly bytesRead: number;
  /** Retries so far, over all sources. */
  readonly retries: number;
}
