/**
 * The requests that send parts, which are nearly all requests of a large archive. The S3 client signs them, has the connections, and
 * reads errors. Its middleware would double the CPU time of a request (ADR 3).
 */
import type { Readable } from 'node:stream';
import { type S3Client, UploadPartCommand, type UploadPartCommandOutput } from '@aws-sdk/client-s3';
import type { StoreLocation } from '#runtime/store/store-location.ts';
import { createLateSignal } from './late-signal.ts';
import type { PartDigests } from './part.ts';
import { bodyOf } from './part-body.ts';
import { base64Crc, type PartResponse } from './part-verification.ts';
import { createRequestSigner, type RequestSigner } from './signed-requests.ts';
import type { StoreClock } from './store-clock.ts';

export interface PartToSend {
  readonly number: number;
  readonly bytes: number;
  readonly body: readonly Uint8Array[];
  readonly digests: PartDigests;
}

interface StoreResponse {
  readonly statusCode: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

interface PartRequestsOptions {
  readonly client: S3Client;
  readonly clock: Pick<StoreClock, 'hear'>;
  readonly bucket: string;
  readonly location: StoreLocation;
}

/**
 * How long the response to a part is awaited when its request is cancelled after all of its bytes were sent. The store may keep such
 * a part although the upload is aborted meanwhile: versitygw 1.8.0 makes the upload again for it, and nobody would abort it.
 */
export const WHOLE_PART_MS = 3_000;

/** The store verifies the part by it. */
function digestHeader(digests: PartDigests): Record<string, string> {
  return digests.kind === 'md5'
    ? { 'content-md5': digests.md5.toString('base64') }
    : { 'x-amz-checksum-crc32': base64Crc(digests.crc32) };
}

/**
 * Lets the client read a response that it has not requested, so that errors are those of its other requests, and correct its clock. It
 * makes a request for it, with credentials, but the response takes the place of the network.
 */
async function readByClient(
  client: S3Client,
  command: UploadPartCommand,
  response: StoreResponse,
): Promise<UploadPartCommandOutput> {
  command.middlewareStack.addRelativeTo(
    () => () => Promise.resolve({ response, output: { $metadata: {} } }),
    { name: 'receivedResponse', relation: 'after', toMiddleware: 'deserializerMiddleware' },
  );
  try {
    return await client.send(command);
  } finally {
    // If there were no credentials, nothing has read it.
    response.body.resume();
  }
}

/** Sends one part of an upload to this key. */
export type SendPart = (
  upload: { readonly key: string; readonly uploadId: string },
  part: PartToSend,
  signal?: AbortSignal,
) => Promise<PartResponse>;

/** The function rejects with the errors of the client. */
export function createSendPart({ client, clock, bucket, location }: PartRequestsOptions): SendPart {
  let signer: RequestSigner | undefined;
  return async ({ key, uploadId }, { number, bytes, body, digests }, signal) => {
    signer ??= createRequestSigner(client, bucket, location);
    const signed = await signer.sign(
      {
        method: 'PUT',
        path: signer.pathOf(key),
        query: { partNumber: String(number), uploadId },
        headers: { 'user-agent': 'zipjobs', 'content-length': String(bytes), ...digestHeader(digests) },
      },
      new Date(Date.now() + client.config.systemClockOffset),
    );
    signal?.throwIfAborted();
    const stream = bodyOf(body);
    using late = signal && createLateSignal(signal, () => (stream.readableEnded ? WHOLE_PART_MS : 0));
    const sentMs = performance.now();
    const { response } = (await client.config.requestHandler.handle(
      { ...signed, body: stream },
      late ? { abortSignal: late.signal } : {},
    )) as { readonly response: StoreResponse };
    const { statusCode, headers } = response;
    clock.hear(headers['date'], sentMs);
    // Some stores send an error with status 200.
    if (statusCode >= 300 || headers['etag'] === undefined) {
      const input = { Bucket: bucket, Key: key, UploadId: uploadId, PartNumber: number };
      // Awaited here, so that the signal also ends the reading.
      return await readByClient(client, new UploadPartCommand(input), response);
    }
    response.body.resume();
    return {
      ETag: headers['etag'],
      ChecksumCRC32: headers['x-amz-checksum-crc32'],
      ServerSideEncryption: headers['x-amz-server-side-encryption'],
      SSECustomerAlgorithm: headers['x-amz-server-side-encryption-customer-algorithm'],
    };
  };
}
