/** One request that completes an upload, with a time limit of its own. */
import {
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { OnConflict } from '#crds/zip-job.ts';
import type { PartDigests } from './part.ts';
import {
  base64Crc,
  type Completed,
  crcOfObject,
  missing,
  type PartVerification,
  withoutQuotes,
} from './part-verification.ts';
import { isKeyRejected, StoreError, toStoreError } from './store-errors.ts';

/** A part that the store has. */
export interface Part extends PartVerification {
  readonly number: number;
  readonly bytes: number;
  readonly digests: PartDigests;
}

export interface Completion {
  readonly onConflict: OnConflict;
  /** The store may need this long to assemble the archive. */
  readonly limitMs: number;
  /** Ends the request, whose outcome is then unknown. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with true just before the store may receive the request, and with false if the store refused it only because of
   * its credentials.
   */
  readonly onSent?: (isSent: boolean) => void;
}

function tooSlow(attempted: string, limitMs: number): StoreError {
  return new StoreError(`${attempted}: no response within ${limitMs} ms`, {
    code: 'StoreUnavailable',
    retryable: true,
    storeCode: 'TimeoutError',
  });
}

function listOf(parts: readonly Part[]) {
  return parts.map(({ number, etag, digests }) => ({
    PartNumber: number,
    ETag: etag,
    ...(digests.kind === 'crc32' && { ChecksumCRC32: base64Crc(digests.crc32) }),
  }));
}

/** The store refuses the Complete if its bytes have another CRC-32. */
function objectChecksum(
  parts: readonly Part[],
  verifiesObject: boolean,
): Partial<CompleteMultipartUploadCommandInput> {
  const crc = verifiesObject ? crcOfObject(parts) : undefined;
  return crc === undefined ? {} : { ChecksumType: 'FULL_OBJECT', ChecksumCRC32: base64Crc(crc) };
}

export async function sendComplete(
  client: S3Client,
  upload: Pick<CompleteMultipartUploadCommandInput, 'Bucket' | 'Key' | 'UploadId'>,
  {
    parts,
    attempted,
    verifiesObject,
    onConflict,
    limitMs,
    signal,
    onSent,
  }: Completion & {
    readonly parts: readonly Part[];
    readonly attempted: string;
    readonly verifiesObject: boolean;
  },
): Promise<Completed> {
  const limit = AbortSignal.timeout(limitMs);
  const command = new CompleteMultipartUploadCommand({
    ...upload,
    MultipartUpload: { Parts: listOf(parts) },
    ...objectChecksum(parts, verifiesObject),
    ...(onConflict === 'fail' && { IfNoneMatch: '*' }),
  });
  // Credentials are fetched before this step, and a failure of the token service says nothing about the upload.
  command.middlewareStack.add(
    (next) => (args) => {
      onSent?.(true);
      return next(args);
    },
    { step: 'deserialize', name: 'completeIsSent', priority: 'low' },
  );
  const isVerified = command.input.ChecksumCRC32 !== undefined;
  const abortSignal = signal ? AbortSignal.any([limit, signal]) : limit;
  const response = await client.send(command, { abortSignal }).catch((thrown: unknown) => {
    const error = limit.aborted ? tooSlow(attempted, limitMs) : toStoreError(thrown, attempted);
    if (isKeyRejected(error)) onSent?.(false);
    throw error;
  });
  const { ETag: etag, ChecksumCRC32: crc } = response;
  if (etag === undefined) throw missing(attempted, 'ETag');
  // That of parts has their number. Not every store names the type again.
  const isOfObject = isVerified && crc?.includes('-') === false;
  return { etag: withoutQuotes(etag), ...(isOfObject ? { crc32OfObject: crc } : { crc32OfParts: crc }) };
}
