/** What is stated about a file. If the source sends something else, it fails with SourceMismatch. */
export interface Expectations {
  /** In bytes. */
  readonly size?: number;
  /** Hexadecimal digits, in any case. */
  readonly sha256?: string;
  /** Hexadecimal digits, in any case. */
  readonly crc32?: string;
  /** Media type. Letter case and parameters do not count. */
  readonly contentType?: string;
}

/** One source: its URL, the name of its entry in the archive, and what is stated about it. */
export interface FileEntry extends Expectations {
  readonly url: string;
  readonly filename: string;
}

/** A source of a stored list. Its headers may be credentials, so the ZipJob itself never contains them. */
export interface ListedFile extends FileEntry {
  /** Additional request headers, sent only to the origin of the URL. */
  readonly headers?: Readonly<Record<string, string>>;
}
