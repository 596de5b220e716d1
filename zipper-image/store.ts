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
import {
  base64Crc,
  digestHeaders,
  missing,
  type PartProof,
  verifyPart,
  withoutQuotes,
} from './part-proof.ts';
import type { PartDigests } from './part-writer.ts';
import type { PartChecksum, Provider } from './providers.ts';
import { isStoreCode, StoreError, toStoreError } from './store-errors.ts';

export interface Part extends PartProof {
  readonly number: number;
  readonly bytes: number;
  readonly digests: PartDigests;
}

export interface PartToSend {
  readonly number: number;
  readonly body: Uint8Array;
  readonly digests: PartDigests;
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
  uploadPart(upload: UploadRef, part: PartToSend, signal?: AbortSignal): Promise<Part>;
  completeUpload(
    upload: UploadRef,
    parts: readonly Part[],
    onConflict: OnConflict,
  ): Promise<{ readonly etag: string }>;
  abortUpload(upload: UploadRef, signal?: AbortSignal): Promise<void>;
  /** Whether the store still knows the upload. */
  isOpen(upload: UploadRef, signal?: AbortSignal): Promise<boolean>;
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

const objectHeaders = (bucket: TaskBucket, provider: Provider) => ({
  ContentType: 'application/zip',
  ...(bucket.storageClass !== undefined && { StorageClass: bucket.storageClass as StorageClass }),
  ...(bucket.cacheControl !== undefined && { CacheControl: bucket.cacheControl }),
  ...(bucket.contentDisposition !== undefined && { ContentDisposition: bucket.contentDisposition }),
  ...(bucket.acl !== undefined && provider.acceptsAcl && { ACL: bucket.acl as ObjectCannedACL }),
  ...(provider.partChecksum === 'crc32' && { ChecksumAlgorithm: 'CRC32' as const }),
});

const sendOptions = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

class S3Store implements Store {
  readonly #client: S3Client;
  readonly #options: StoreOptions;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#client = createClient(options);
  }

  get partChecksum(): PartChecksum {
    return this.#options.provider.partChecksum;
  }

  createUpload(key: string, attempt: string, signal?: AbortSignal): Promise<string> {
    return this.#asking('Starting the upload', async (attempted) => {
      const { bucket, provider } = this.#options;
      const command = new CreateMultipartUploadCommand({
        ...this.#at(key),
        ...objectHeaders(bucket, provider),
        Metadata: { [ATTEMPT_METADATA_KEY]: attempt },
      });
      const { UploadId: uploadId } = await this.#client.send(command, sendOptions(signal));
      if (uploadId === undefined || uploadId === '') throw missing(attempted, 'upload id');
      return uploadId;
    });
  }

  uploadPart(upload: UploadRef, part: PartToSend, signal?: AbortSignal): Promise<Part> {
    const { number, body, digests } = part;
    return this.#asking(`Uploading part ${number}`, async (attempted) => {
      const input = { ...this.#on(upload), PartNumber: number, Body: body, ...digestHeaders(digests) };
      const answer = await this.#client.send(new UploadPartCommand(input), sendOptions(signal));
      return { number, bytes: body.length, digests, ...verifyPart(answer, digests, attempted) };
    });
  }

  completeUpload(
    upload: UploadRef,
    parts: readonly Part[],
    onConflict: OnConflict,
  ): Promise<{ readonly etag: string }> {
    return this.#asking('Completing the upload', async (attempted) => {
      const list = parts.map(({ number, etag, digests }) => ({
        PartNumber: number,
        ETag: etag,
        ...(digests.kind === 'crc32' && { ChecksumCRC32: base64Crc(digests.crc32) }),
      }));
      const command = new CompleteMultipartUploadCommand({
        ...this.#on(upload),
        MultipartUpload: { Parts: list },
        ...(onConflict === 'fail' && { IfNoneMatch: '*' }),
      });
      const { ETag: etag } = await this.#client.send(command);
      if (etag === undefined) throw missing(attempted, 'ETag');
      return { etag: withoutQuotes(etag) };
    });
  }

  abortUpload(upload: UploadRef, signal?: AbortSignal): Promise<void> {
    return this.#asking('Aborting the upload', async () => {
      await this.#client.send(new AbortMultipartUploadCommand(this.#on(upload)), sendOptions(signal));
    });
  }

  async isOpen(upload: UploadRef, signal?: AbortSignal): Promise<boolean> {
    try {
      await this.#asking("Listing the upload's parts", async () => {
        await this.#client.send(
          new ListPartsCommand({ ...this.#on(upload), MaxParts: 1 }),
          sendOptions(signal),
        );
      });
      return true;
    } catch (error) {
      if (isStoreCode(error, 'NoSuchUpload')) return false;
      throw error;
    }
  }

  async head(key: string, signal?: AbortSignal): Promise<StoredObject | undefined> {
    try {
      return await this.#asking('Looking at the object', async () => {
        const answer = await this.#client.send(new HeadObjectCommand(this.#at(key)), sendOptions(signal));
        return {
          bytes: answer.ContentLength ?? 0,
          etag: withoutQuotes(answer.ETag ?? ''),
          attempt: answer.Metadata?.[ATTEMPT_METADATA_KEY],
        };
      });
    } catch (error) {
      if (error instanceof StoreError && error.httpStatus === 404) return undefined;
      throw error;
    }
  }

  deleteObject(key: string): Promise<void> {
    return this.#asking('Deleting the object', async () => {
      await this.#client.send(new DeleteObjectCommand(this.#at(key)));
    });
  }

  close(): void {
    this.#client.destroy();
    this.#options.agents.destroy();
  }

  #at(key: string) {
    return { Bucket: this.#options.bucket.name, Key: key };
  }

  #on({ key, uploadId }: UploadRef) {
    return { ...this.#at(key), UploadId: uploadId };
  }

  async #asking<T>(what: string, work: (attempted: string) => Promise<T>): Promise<T> {
    const attempted = `${what} in bucket ${this.#options.bucket.name}`;
    try {
      return await work(attempted);
    } catch (error) {
      throw toStoreError(error, attempted);
    }
  }
}

/** Opens a client for one bucket; nothing is sent before the first call. */
export const createStore = (options: StoreOptions): Store => new S3Store(options);
