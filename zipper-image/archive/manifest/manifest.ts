import type { SourceError } from '../../sources/source-error.ts';
import type { WrittenEntry } from '../recorded-entry.ts';

export interface ManifestLine {
  readonly index: number;
  /** As requested by the job. */
  readonly filename: string;
  /** The entry in the archive; absent if the file was skipped. */
  readonly entry?: { readonly name: string } & WrittenEntry;
  /** Why the file was skipped or replaced. */
  readonly failure?: SourceError;
  readonly lengthUnverified?: boolean;
  readonly contentEncoded?: boolean;
}

export interface ManifestFile {
  /** Name of the entry. */
  readonly name: string;
  /** The complete text. */
  readonly pieces: readonly Uint8Array[];
}

/**
 * Describes the files of the archive in entries that are written last. Its lines are created when the files are written, so it
 * lists only what was written. It contains no URLs, because they may be credentials.
 */
export interface Manifest {
  add(line: ManifestLine): void;
  files(): readonly ManifestFile[];
}
