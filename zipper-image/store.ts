/**
 * The bucket, as far as an archive needs it: one multipart upload and a look at the object. Every request is tried once;
 * who calls decides about further tries. Every failure is a StoreError.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  type ObjectCannedACL,
  S3Client,
  type StorageClass,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { OnConflict } from '#crds/zip-job.ts';
import { ATTEMPT_METADATA_KEY, type TaskBucket } from '#crds/zipper-contract.ts';
import type { HttpAgents } from '#runtime/egress/http-agents.ts';
import type { PartDigests } from './part-writer.ts';
import type { PartChecksum, Provider } from './providers.ts';
import { StoreError, toStoreError } from './store-errors.ts';

export interface Part {
  readonly number: number;
  readonly etag: string;
  readonly bytes: number;
  readonly digests: PartDigests;
  /** The store's ETag is the MD5 of the part's bytes. */
  readonly etagIsMd5: boolean;
}

export interface StoredObject {
  readonly bytes: number;
  readonly etag: string;
  /** Which attempt wrote it; undefined for objects that are not ours. */
  readonly attempt: string | undefined;
}

export interface UploadRef {
  readonly key: string;
  readonly uploadId: string;
}

export interface Store {
  readonly partChecksum: PartChecksum;
  createUpload(key: string, attempt: string, signal?: AbortSignal): Promise<string>;
  uploadPart(
    upload: UploadRef,
    part: { readonly number: number; readonly body: Uint8Array; readonly digests: PartDigests },
    signal?: AbortSignal,
  ): Promise<Part>;
  completeUpload(
    upload: UploadRef,
    parts: readonly Part[],
    onConflict: OnConflict,
  ): Promise<{ readonly etag: string }>;
  abortUpload(upload: UploadRef, signal?: AbortSignal): Promise<void>;
  /** Whether the store still holds parts of the upload. */
  hasParts(upload: UploadRef, signal?: AbortSignal): Promise<boolean>;
  /** Undefined when there is no object. */
  head(key: string, signal?: AbortSignal): Promise<StoredObject | undefined>;
  deleteObject(key: string): Promise<void>;
  close(): void;
}

export interface StoreOptions {
  readonly bucket: TaskBucket;
  readonly provider: Provider;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly agents: HttpAgents;
  readonly connectTimeoutMs: number;
  /** Longest time without a byte in either direction. */
  readonly idleTimeoutMs: number;
}

const createClient = (options: StoreOptions): S3Client => {
  const { provider, agents } = options;
  const client = new S3Client({
    region: provider.region,
    ...(provider.endpoint !== undefined && { endpoint: provider.endpoint }),
    forcePathStyle: provider.pathStyle,
    credentials: options.credentials,
    maxAttempts: 1,
    // Checksums are computed once per part and given by us; the SDK's own would be a header that not every store knows.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    followRegionRedirects: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    defaultsMode: 'standard',
    retryMode: 'standard',
    userAgentAppId: 'zipjobs',
    requestHandler: {
      httpAgent: agents.httpAgent,
      httpsAgent: agents.httpsAgent,
      connectionTimeout: options.connectTimeoutMs,
      socketTimeout: options.idleTimeoutMs,
    },
  });
  // A part's checksum is a signed header: hashing its bytes once more for the signature would only cost time.
  client.middlewareStack.add(
    (next, context) => (args) => {
      if (context.commandName === 'UploadPartCommand' && hasHeaders(args.request))
        args.request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build', name: 'unsignedPartBody', priority: 'low' },
  );
  return client;
};

const hasHeaders = (request: unknown): request is { headers: Record<string, string> } =>
  typeof request === 'object' && request !== null && 'headers' in request;

const bare = (etag: string): string => etag.replaceAll('"', '');
const isMd5 = (etag: string): boolean => /^[0-9a-f]{32}$/i.test(etag);

const missing = (attempted: string, what: string): StoreError =>
  new StoreError(`${attempted}: the store's answer has no ${what}`, {
    code: 'StoreUnavailable',
    retryable: true,
    storeCode: 'IncompleteAnswer',
  });

const corrupted = (attempted: string, what: string): StoreError =>
  new StoreError(`${attempted}: the store answered with another ${what} than that of the bytes sent`, {
    code: 'StoreCorrupted',
    retryable: true,
    storeCode: 'ChecksumMismatch',
  });

const base64Crc = (crc: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc >>> 0);
  return bytes.toString('base64');
};

const digestHeaders = (digests: PartDigests): { ContentMD5?: string; ChecksumCRC32?: string } =>
  digests.kind === 'md5'
    ? { ContentMD5: digests.md5.toString('base64') }
    : { ChecksumCRC32: base64Crc(digests.crc32) };

interface PartAnswer {
  readonly ETag?: string | undefined;
  readonly ChecksumCRC32?: string | undefined;
  readonly ServerSideEncryption?: string | undefined;
  readonly SSECustomerAlgorithm?: string | undefined;
}

/** Compares what the store says that it holds with what was sent. Encrypted parts have ETags that are no MD5. */
const verifyPart = (
  answer: PartAnswer,
  digests: PartDigests,
  attempted: string,
): Pick<Part, 'etag' | 'etagIsMd5'> => {
  if (answer.ETag === undefined) throw missing(attempted, 'ETag');
  const etag = bare(answer.ETag);
  if (digests.kind === 'crc32') {
    if (answer.ChecksumCRC32 !== undefined && answer.ChecksumCRC32 !== base64Crc(digests.crc32))
      throw corrupted(attempted, 'CRC-32');
    return { etag: answer.ETag, etagIsMd5: false };
  }
  const isEncrypted = answer.ServerSideEncryption?.startsWith('aws:kms') === true;
  const etagIsMd5 = isMd5(etag) && !isEncrypted && answer.SSECustomerAlgorithm === undefined;
  if (etagIsMd5 && etag.toLowerCase() !== digests.md5.toString('hex')) throw corrupted(attempted, 'MD5');
  return { etag: answer.ETag, etagIsMd5 };
};

const objectHeaders = (bucket: TaskBucket, provider: Provider) => ({
  ContentType: 'application/zip',
  ...(bucket.storageClass !== undefined && { StorageClass: bucket.storageClass as StorageClass }),
  ...(bucket.cacheControl !== undefined && { CacheControl: bucket.cacheControl }),
  ...(bucket.contentDisposition !== undefined && { ContentDisposition: bucket.contentDisposition }),
  ...(bucket.acl !== undefined && provider.acceptsAcl && { ACL: bucket.acl as ObjectCannedACL }),
  ...(provider.partChecksum === 'crc32' && { ChecksumAlgorithm: 'CRC32' as const }),
});

const sendOptions = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

/** Opens a client for one bucket; nothing is sent before the first call. */
export const createStore = (options: StoreOptions): Store => {
  const { bucket, provider } = options;
  const client = createClient(options);
  const at = (key: string) => ({ Bucket: bucket.name, Key: key });
  const on = ({ key, uploadId }: UploadRef) => ({ ...at(key), UploadId: uploadId });
  const asking = async <T>(what: string, work: (attempted: string) => Promise<T>): Promise<T> => {
    const attempted = `${what} in bucket ${bucket.name}`;
    try {
      return await work(attempted);
    } catch (error) {
      throw toStoreError(error, attempted);
    }
  };

  return {
    partChecksum: provider.partChecksum,
    createUpload: (key, attempt, signal) =>
      asking('Starting the upload', async (attempted) => {
        const input = { ...at(key), ...objectHeaders(bucket, provider) };
        const command = new CreateMultipartUploadCommand({
          ...input,
          Metadata: { [ATTEMPT_METADATA_KEY]: attempt },
        });
        const { UploadId: uploadId } = await client.send(command, sendOptions(signal));
        if (uploadId === undefined || uploadId === '') throw missing(attempted, 'upload id');
        return uploadId;
      }),
    uploadPart: (upload, { number, body, digests }, signal) =>
      asking(`Uploading part ${number}`, async (attempted) => {
        const input = { ...on(upload), PartNumber: number, Body: body, ...digestHeaders(digests) };
        const answer = await client.send(new UploadPartCommand(input), sendOptions(signal));
        return { number, bytes: body.length, digests, ...verifyPart(answer, digests, attempted) };
      }),
    completeUpload: (upload, parts, onConflict) =>
      asking('Completing the upload', async (attempted) => {
        const list = parts.map(({ number, etag, digests }) => ({
          PartNumber: number,
          ETag: etag,
          ...(digests.kind === 'crc32' && { ChecksumCRC32: base64Crc(digests.crc32) }),
        }));
        const command = new CompleteMultipartUploadCommand({
          ...on(upload),
          MultipartUpload: { Parts: list },
          ...(onConflict === 'fail' && { IfNoneMatch: '*' }),
        });
        const { ETag: etag } = await client.send(command);
        if (etag === undefined) throw missing(attempted, 'ETag');
        return { etag: bare(etag) };
      }),
    abortUpload: (upload, signal) =>
      asking('Aborting the upload', async () => {
        await client.send(new AbortMultipartUploadCommand(on(upload)), sendOptions(signal));
      }),
    hasParts: (upload, signal) =>
      asking("Listing the upload's parts", async () => {
        const answer = await client.send(
          new ListPartsCommand({ ...on(upload), MaxParts: 1 }),
          sendOptions(signal),
        );
        return (answer.Parts ?? []).length > 0;
      }),
    head: (key, signal) =>
      asking('Looking at the object', async () => {
        try {
          const answer = await client.send(new HeadObjectCommand(at(key)), sendOptions(signal));
          return {
            bytes: answer.ContentLength ?? 0,
            etag: bare(answer.ETag ?? ''),
            attempt: answer.Metadata?.[ATTEMPT_METADATA_KEY],
          };
        } catch (error) {
          const failure = toStoreError(error, `Looking at the object in bucket ${bucket.name}`);
          if (failure instanceof StoreError && failure.httpStatus === 404) return undefined;
          throw failure;
        }
      }),
    deleteObject: (key) =>
      asking('Deleting the object', async () => {
        await client.send(new DeleteObjectCommand(at(key)));
      }),
    close: () => {
      client.destroy();
      options.agents.destroy();
    },
  };
};
