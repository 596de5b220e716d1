import type { ListedFile } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import {
  CRC32_PATTERN,
  MEDIA_TYPE_LENGTH,
  MEDIA_TYPE_PATTERN,
  SHA256_PATTERN,
} from '#runtime/entries/expectations.ts';
import { onlyListed } from '#runtime/zip-request/file-list.ts';

/** An entry of a request. */
export type RequestedFile = Omit<ListedFile, 'contentType'> & { readonly content_type?: string };

/** Without unknown fields. */
export function toListedFile({ content_type: contentType, ...entry }: RequestedFile): ListedFile {
  return onlyListed({ ...entry, ...defined({ contentType }) });
}

const MISMATCH = 'If the file differs, it fails with `SourceMismatch`.';

/** The fields of an entry that state something about its file. */
export const EXPECTATION_SCHEMAS = {
  size: {
    type: 'integer',
    format: 'int64',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `Size of the file in bytes, at most the maximum size of a file. All sizes of a request together are at most the maximum size of an archive, unless files are compressed or may be left out. ${MISMATCH}`,
    examples: [48_213],
  },
  sha256: {
    type: 'string',
    pattern: SHA256_PATTERN,
    description: `SHA-256 of the file as 64 hexadecimal digits. ${MISMATCH}`,
    examples: ['2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'],
  },
  crc32: {
    type: 'string',
    pattern: CRC32_PATTERN,
    description: `CRC-32 of the file as 8 hexadecimal digits, the checksum of zip archives. ${MISMATCH} A file of any size then gets an exact header in the archive, so that a program can read it from there by a range.`,
    examples: ['8c736521'],
  },
  content_type: {
    type: 'string',
    maxLength: MEDIA_TYPE_LENGTH,
    pattern: MEDIA_TYPE_PATTERN,
    description: `Media type that the source declares for the file. Letter case and parameters do not count. ${MISMATCH}`,
    examples: ['application/pdf'],
  },
} as const;
