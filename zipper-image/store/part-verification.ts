/** Verifies that the store has the bytes that were sent: of each part, and of all parts together. */
import { createHash } from 'node:crypto';
import { crc32 } from '../crc32.ts';
import { combineCrc32 } from '../crc32-combine.ts';
import type { PartDigests } from './part.ts';
import { StoreError } from './store-errors.ts';

/** S3 quotes ETags. */
export function withoutQuotes(etag: string): string {
  return etag.replaceAll('"', '');
}

export function isMd5(etag: string): boolean {
  return /^[0-9a-f]{32}$/i.test(etag);
}

/** A response without a required field. */
export function missing(attempted: string, what: string): StoreError {
  return new StoreError(`${attempted}: the response of the store has no ${what}`, {
    code: 'StoreUnavailable',
    retryable: true,
    storeCode: 'IncompleteResponse',
  });
}

function corrupted(attempted: string, what: string): StoreError {
  return new StoreError(`${attempted}: the store returned a different ${what} than that of the sent bytes`, {
    code: 'StoreCorrupted',
    retryable: true,
    storeCode: 'ChecksumMismatch',
  });
}

/** The S3 header format: the four bytes, most significant first, in base64. */
export function base64Crc(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc >>> 0);
  return bytes.toString('base64');
}

/** The CRC-32 in a field of S3; undefined if it is not one of four bytes. */
export function crcOfBase64(text: string): number | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 4 ? bytes.readUInt32BE() : undefined;
}

export interface PartVerification {
  /** As returned by the store. */
  readonly etag: string;
  /** The ETag is the MD5 of the part's bytes. */
  readonly etagIsMd5: boolean;
}

/** The fields of the store's response to a part. */
export interface PartResponse {
  readonly ETag?: string | undefined;
  readonly ChecksumCRC32?: string | undefined;
  readonly ServerSideEncryption?: string | undefined;
  readonly SSECustomerAlgorithm?: string | undefined;
}

/** Compares the store's checksum of a part with the sent bytes. ETags of encrypted parts are not MD5. */
export function verifyPart(
  response: PartResponse,
  digests: PartDigests,
  attempted: string,
): PartVerification {
  if (response.ETag === undefined) throw missing(attempted, 'ETag');
  const etag = withoutQuotes(response.ETag);
  if (digests.kind === 'crc32') {
    // A store that was asked to sum and does not say what it summed verifies nothing.
    if (response.ChecksumCRC32 === undefined) throw missing(attempted, 'CRC-32');
    if (response.ChecksumCRC32 !== base64Crc(digests.crc32)) throw corrupted(attempted, 'CRC-32');
    return { etag: response.ETag, etagIsMd5: false };
  }
  const isEncrypted = response.ServerSideEncryption?.startsWith('aws:kms') === true;
  const etagIsMd5 = isMd5(etag) && !isEncrypted && response.SSECustomerAlgorithm === undefined;
  if (etagIsMd5 && etag.toLowerCase() !== digests.md5.toString('hex')) throw corrupted(attempted, 'MD5');
  return { etag: response.ETag, etagIsMd5 };
}

/** SHA-256 (hex) of the numbers and ETags of all parts in order, by which recovery knows them again in the store's list. */
export function digestOfParts(parts: readonly { readonly number: number; readonly etag: string }[]): string {
  const hash = createHash('sha256');
  for (const { number, etag } of parts) hash.update(`${number} ${withoutQuotes(etag)}\n`);
  return hash.digest('hex');
}

/** The store's response to Complete. */
export interface Completed {
  readonly etag: string;
  /** CRC-32 of the parts' CRC-32s, if the store computes it. */
  readonly crc32OfParts?: string | undefined;
  /** CRC-32 of all bytes, if the store has verified it. */
  readonly crc32OfObject?: string | undefined;
}

/** The values of each part that verify the whole object. */
export interface UploadedPart {
  readonly bytes: number;
  readonly digests: PartDigests;
  readonly etagIsMd5: boolean;
}

/** S3's ETag of a multipart object: the MD5 of the parts' MD5s, and their number. */
function etagOfParts(parts: readonly UploadedPart[]): string {
  const hash = createHash('md5');
  for (const { digests } of parts) if (digests.kind === 'md5') hash.update(digests.md5);
  return `${hash.digest('hex')}-${parts.length}`;
}

/** S3's checksum of a multipart object: the CRC-32 of the parts' CRC-32s, and their number. */
function crcOfParts(parts: readonly UploadedPart[]): string {
  const sums = parts.map(({ digests }) =>
    Buffer.from(digests.kind === 'crc32' ? base64Crc(digests.crc32) : '', 'base64'),
  );
  return `${base64Crc(crc32(Buffer.concat(sums)))}-${parts.length}`;
}

/** The CRC-32 of all bytes, from those of the parts in their order; undefined if they have none. */
export function crcOfObject(parts: readonly UploadedPart[]): number | undefined {
  let whole = 0;
  for (const { bytes, digests } of parts) {
    if (digests.kind !== 'crc32') return undefined;
    whole = combineCrc32(whole, digests.crc32, bytes);
  }
  return whole;
}

type Verdict = 'yes' | 'no' | 'unknown';

function compareObject(crc: string, parts: readonly UploadedPart[]): Verdict {
  const whole = crcOfObject(parts);
  if (whole === undefined) return 'unknown';
  return crc === base64Crc(whole) ? 'yes' : 'no';
}

/** Whether the response to Complete matches the parts; `unknown` if it contains nothing to compare. */
export function followsFromParts(
  completed: Pick<Completed, 'etag' | 'crc32OfParts' | 'crc32OfObject'>,
  parts: readonly UploadedPart[],
): Verdict {
  const { etag, crc32OfParts, crc32OfObject } = completed;
  if (crc32OfObject !== undefined) return compareObject(crc32OfObject, parts);
  if (parts.every(({ digests }) => digests.kind === 'crc32')) {
    if (!/-\d+$/.test(crc32OfParts ?? '')) return 'unknown';
    return crc32OfParts === crcOfParts(parts) ? 'yes' : 'no';
  }
  if (!parts.every(({ etagIsMd5 }) => etagIsMd5) || !/^[0-9a-f]{32}-\d+$/i.test(etag)) return 'unknown';
  return etag.toLowerCase() === etagOfParts(parts) ? 'yes' : 'no';
}
