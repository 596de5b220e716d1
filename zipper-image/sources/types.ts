import type { Dispatcher } from 'undici';
import type { Expectations } from '#crds/zip-job.ts';
import type { EgressPolicy } from '#runtime/egress/egress-policy.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { FillSlices } from '../byte-sink.ts';
import type { ContinuedFile } from '../resume/types.ts';
import type { SourceFile } from './bucket-source.ts';
import type { KnownSources } from './known-sources.ts';
import type { SourceSettings } from './settings.ts';
import type { SourceError } from './source-error.ts';

/** Maximum size of an entry whose whole body is in `small`, independent of timing and declared length. */
export const SMALL_ENTRY_BYTES = 1024 * 1024;

/** One opened source, in the order of the file list. */
export interface SourceEntry {
  readonly index: number;
  readonly filename: string;
  /** Content-Length of the response, or the stated size; undefined if there is neither. */
  readonly declaredLength: number | undefined;
  readonly lastModified: Date | undefined;
  /** The body ended with the connection and no length was declared or stated, so a truncated body would look the same. */
  readonly lengthUnverified: boolean;
  /** The source applied a Content-Encoding. The bytes are kept as received. */
  readonly contentEncoded: boolean;
  /**
   * Checksums that the job states or the source's store has, to compare with the written bytes, unless the whole body is in `small`,
   * whose checksums were compared. With a CRC-32 and a declared length, a body that is not compressed gets an exact header.
   */
  readonly stated?: Pick<Expectations, 'sha256' | 'crc32'>;
  /**
   * The bytes in order, to be read once. A chunk is valid until the next one is requested. Ends exactly at the
   * end of the source.
   * @throws SourceError
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Fills the slices of a large file, from several places at a time; `body` is the above. @throws SourceError */
  readonly fill?: FillSlices | undefined;
  /** The whole body if it has at most SMALL_ENTRY_BYTES; `body` then yields exactly this. */
  readonly small: Uint8Array | undefined;
  /** Why the file is missing, if failures are reported instead of thrown. `body` is empty then. */
  readonly failure?: SourceError;
  /** By which a later pod recognizes these bytes; undefined if nothing that the source sends identifies them. */
  readonly validator?: string | undefined;
  /** What an earlier pod recorded of the file. `body` is empty then, unless the file is repeated. */
  readonly continues?: ContinuedFile;
}

export interface SourceReader {
  /**
   * Every source in order, to be iterated once. Read the body of an entry before you request the next entry.
   * @throws SourceError of the first entry that fails, after every entry before it was consumed
   */
  entries(): AsyncIterable<SourceEntry>;
  /** Received body bytes, including repeated downloads, and those that earlier pods received and this one does not. */
  readonly bytesRead: number;
  /** Those of `bytesRead` that this pod did not receive. Default 0. */
  readonly bytesKept?: number;
  /** Retries so far, over all sources. */
  readonly retries: number;
  readonly known: KnownSources;
  /**
   * After `entries` has failed: requests the sources of which nothing is known, once each. Ends at the time limit, or when
   * the signal aborts. Never rejects.
   */
  checkOthers(signal: AbortSignal): Promise<void>;
}

export interface SourceReaderDeps {
  readonly files: readonly SourceFile[];
  /** A guarded agent. The caller destroys it after the reader. */
  readonly agent: Dispatcher;
  readonly policy: EgressPolicy;
  readonly settings: SourceSettings;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** A source that fails before it was passed on becomes an entry with a `failure`, and reading continues. */
  readonly reportFailures?: boolean;
  /** Called with what made a source unreachable: the error of the connection, or of a refused address. */
  readonly onUnreachable?: (cause: unknown) => void;
  /** Requests a source when the previous one was consumed: exactly once, unless it fails. */
  readonly sequential?: boolean;
  /** Files of an earlier pod, by index. A file that is not among them is fetched as a new one. */
  readonly continued?: ReadonlyMap<number, ContinuedFile>;
}
