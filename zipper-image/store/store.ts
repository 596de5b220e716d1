/**
 * The operations on a bucket that an archive needs: one multipart upload, and reading the object's metadata. Requests
 * are not retried here; the caller decides. Every failure is a StoreError.
 */

import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ChosenObjectOptions } from '#crds/zip-job.ts';
import { ATTEMPT_METADATA_KEY } from '#crds/zipper-contract.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { retry } from '#runtime/time/retry.ts';
import { type Completion, type Part, sendComplete } from './complete-upload.ts';
import { type FetchPage, hasParts, type ListedPart, listPartsOf } from './list-parts.ts';
import { type ListedUpload, listUploadsOf } from './list-uploads.ts';
import { objectHeaders, type PermittedOption, permittedOptions, withoutOptions } from './object-headers.ts';
import { createSendPart, type PartToSend, type SendPart } from './part-request.ts';
import { type Completed, missing, verifyPart, withoutQuotes } from './part-verification.ts';
import { createS3Client, type S3ClientOptions } from './s3-client.ts';
import { isRenewable } from './session.ts';
import { assertEncrypted, type Capabilities, type PartChecksum } from './store-capabilities.ts';
import { createStoreClock, type StoreClock } from './store-clock.ts';
import { isKeyRejected, isStoreCode, isWithoutResponse, StoreError, toStoreError } from './store-errors.ts';

export interface StoredObject {
  readonly bytes: number;
  readonly etag: string;
  /** The attempt that wrote it; undefined for objects that are not ours. */
  readonly attempt: string | undefined;
}

export interface UploadRef {
  readonly key: string;
  readonly uploadId: string;
}

export interface Store {
  readonly capabilities: Capabilities;
  readonly clock: Pick<StoreClock, 'at'>;
  /** The checksum that verifies parts. If the store is asked for it, this is valid after the response to `createUpload`. */
  readonly partChecksum: PartChecksum;
  /** Whether the store verifies the CRC-32 of the whole object. Valid after the response to `createUpload` or `listParts`. */
  readonly verifiesObject: boolean;
  /** Options of the bucket that are set and need a permission of their own. */
  readonly permittedOptions: readonly PermittedOption[];
  /** The same store, for uploads without these options of the bucket. It needs no close. */
  without(options: readonly PermittedOption[]): Store;
  createUpload(key: string, attempt: string, signal?: AbortSignal): Promise<string>;
  /** Instead of `createUpload`: an earlier process has started the upload, checked its encryption and sent parts with this checksum. */
  continueUpload(partChecksum: PartChecksum): void;
  uploadPart(upload: UploadRef, part: PartToSend, signal?: AbortSignal): Promise<Part>;
  /** The request ends after `limitMs`, which the store may need to assemble the archive. */
  completeUpload(upload: UploadRef, parts: readonly Part[], how: Completion): Promise<Completed>;
  abortUpload(upload: UploadRef, signal?: AbortSignal): Promise<void>;
  /** Whether the store still knows the upload and has parts of it. Reads every page of the list. */
  lookAtUpload(upload: UploadRef, signal?: AbortSignal): Promise<'gone' | 'empty' | 'parts'>;
  /**
   * All parts that the store has of the upload, by ascending number.
   * @throws StoreError; `NoSuchUpload` if the store does not know the upload
   */
  listParts(upload: UploadRef, signal?: AbortSignal): Promise<readonly ListedPart[]>;
  /** Uploads of exactly this key that were neither completed nor aborted. */
  listUploads(key: string, signal?: AbortSignal): Promise<readonly ListedUpload[]>;
  /** Undefined if there is no object. */
  head(key: string, signal?: AbortSignal): Promise<StoredObject | undefined>;
  deleteObject(key: string): Promise<void>;
  close(): void;
}

export interface StoreOptions extends S3ClientOptions {
  readonly bucket: TaskBucket;
  /** Of the job; they take precedence over those of the bucket. */
  readonly objectOptions?: ChosenObjectOptions;
}

function sendOptions(signal: AbortSignal | undefined) {
  return signal ? { abortSignal: signal } : {};
}

/** True if the store rejected the checksum header because it does not know it. */
function isUnknownHeader(error: unknown): boolean {
  return (
    error instanceof StoreError &&
    (error.httpStatus === 501 || isStoreCode(error, 'NotImplemented', 'InvalidRequest', 'InvalidArgument'))
  );
}

/** What the request that starts an upload asks the store to verify by CRC-32: parts and the whole object, only parts, or nothing. */
type Asked = 'object' | 'parts' | 'nothing';

const ASKING = {
  object: { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' },
  parts: { ChecksumAlgorithm: 'CRC32' },
  nothing: {},
} as const satisfies Record<Asked, Partial<CreateMultipartUploadCommandInput>>;

/** What is asked of a store that does not know the header. */
const LESS: Readonly<Record<Asked, Asked | undefined>> = {
  object: 'parts',
  parts: 'nothing',
  nothing: undefined,
};

function mostOf({ partChecksum, objectChecksum }: Capabilities): Asked {
  if (partChecksum === 'md5') return 'nothing';
  return objectChecksum ? 'object' : 'parts';
}

class S3Store implements Store {
  readonly clock = createStoreClock();
  readonly #client: S3Client;
  readonly #sendPart: SendPart;
  readonly #options: StoreOptions;
  partChecksum: PartChecksum;
  verifiesObject = false;
  #asked: Asked;
  /** As confirmed at the start of the upload. */
  #encryption: string | undefined;

  constructor(options: StoreOptions) {
    const { capabilities } = options.provider;
    const { partChecksum } = capabilities;
    this.#options = options;
    this.#asked = mostOf(capabilities);
    this.partChecksum = partChecksum === 'crc32' ? 'crc32' : 'md5';
    this.#client = createS3Client(options, this.clock);
    this.#sendPart = createSendPart({
      client: this.#client,
      clock: this.clock,
      bucket: options.bucket.name,
      location: options.provider,
    });
  }

  get capabilities(): Capabilities {
    return this.#options.provider.capabilities;
  }

  get permittedOptions(): readonly PermittedOption[] {
    return permittedOptions(this.#options.bucket);
  }

  without(options: readonly PermittedOption[]): Store {
    return new S3Store({ ...this.#options, bucket: withoutOptions(this.#options.bucket, options) });
  }

  async createUpload(key: string, attempt: string, signal?: AbortSignal): Promise<string> {
    for (;;)
      try {
        return await this.#startUpload(key, attempt, signal);
      } catch (error) {
        const less = LESS[this.#asked];
        if (this.capabilities.partChecksum !== 'asked' || !less || !isUnknownHeader(error)) throw error;
        this.#asked = less;
      }
  }

  continueUpload(partChecksum: PartChecksum): void {
    this.partChecksum = partChecksum;
    this.#encryption = this.#options.bucket.serverSideEncryption;
  }

  uploadPart(upload: UploadRef, part: PartToSend, signal?: AbortSignal): Promise<Part> {
    const { number, bytes, digests } = part;
    return this.#asking(
      `Could not upload part ${number}`,
      async (attempted) => {
        const response = await this.#sendPart(upload, part, signal);
        // MinIO confirms the encryption only in this response, other stores only at the start of the upload.
        const ServerSideEncryption = response.ServerSideEncryption ?? this.#encryption;
        assertEncrypted(ServerSideEncryption, this.#options.bucket);
        const encrypted = { ...response, ServerSideEncryption };
        return { number, bytes, digests, ...verifyPart(encrypted, digests, attempted) };
      },
      signal,
    );
  }

  completeUpload(upload: UploadRef, parts: readonly Part[], how: Completion): Promise<Completed> {
    const client = this.#clientFor(how.limitMs);
    return this.#asking('Completing the upload', (attempted) =>
      sendComplete(client, this.#on(upload), {
        ...how,
        parts,
        attempted,
        verifiesObject: this.verifiesObject,
      }),
    );
  }

  abortUpload(upload: UploadRef, signal?: AbortSignal): Promise<void> {
    return this.#asking(
      'Aborting the upload',
      async () => {
        await this.#client.send(new AbortMultipartUploadCommand(this.#on(upload)), sendOptions(signal));
      },
      signal,
    );
  }

  async lookAtUpload(upload: UploadRef, signal?: AbortSignal): Promise<'gone' | 'empty' | 'parts'> {
    try {
      return await this.#withParts(upload, signal, hasParts);
    } catch (error) {
      if (isStoreCode(error, 'NoSuchUpload')) return 'gone';
      throw error;
    }
  }

  listParts(upload: UploadRef, signal?: AbortSignal): Promise<readonly ListedPart[]> {
    return this.#withParts(upload, signal, (attempted, fetchPage) =>
      listPartsOf(attempted, async (page) => {
        const listed = await fetchPage(page);
        this.verifiesObject = listed.ChecksumType === 'FULL_OBJECT';
        return listed;
      }),
    );
  }

  listUploads(key: string, signal?: AbortSignal): Promise<readonly ListedUpload[]> {
    const { name: Bucket } = this.#options.bucket;
    return this.#asking(
      'Listing the uploads',
      (attempted) =>
        listUploadsOf({
          key,
          attempted,
          fetchPage: (input) =>
            this.#client.send(new ListMultipartUploadsCommand({ Bucket, ...input }), sendOptions(signal)),
        }),
      signal,
    );
  }

  async head(key: string, signal?: AbortSignal): Promise<StoredObject | undefined> {
    try {
      return await this.#asking(
        'Looking at the object',
        async () => {
          const response = await this.#client
            .send(new HeadObjectCommand(this.#at(key)), sendOptions(signal))
            .catch(async (error: unknown) => {
              throw await this.#explained(error, key, signal);
            });
          return {
            bytes: response.ContentLength ?? 0,
            etag: withoutQuotes(response.ETag ?? ''),
            attempt: response.Metadata?.[ATTEMPT_METADATA_KEY],
          };
        },
        signal,
      );
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

  /** A store may send nothing while it assembles a large archive, for longer than any other request may be silent. */
  #clientFor(limitMs: number): S3Client {
    const options = this.#options;
    return limitMs <= options.idleTimeoutMs
      ? this.#client
      : createS3Client({ ...options, idleTimeoutMs: limitMs }, this.clock);
  }

  #startUpload(key: string, attempt: string, signal: AbortSignal | undefined): Promise<string> {
    const { bucket, objectOptions = {} } = this.#options;
    return this.#asking(
      'Starting the upload',
      async (attempted) => {
        const command = new CreateMultipartUploadCommand({
          ...this.#at(key),
          ...objectHeaders(bucket, objectOptions, attempt),
          ...ASKING[this.#asked],
        });
        const response = await this.#client.send(command, sendOptions(signal));
        const { UploadId: uploadId } = response;
        if (uploadId === undefined || uploadId === '') throw missing(attempted, 'upload id');
        this.#encryption = response.ServerSideEncryption;
        if (this.capabilities.partChecksum === 'asked')
          this.partChecksum = response.ChecksumAlgorithm === 'CRC32' ? 'crc32' : 'md5';
        this.verifiesObject = this.partChecksum === 'crc32' && response.ChecksumType === 'FULL_OBJECT';
        return uploadId;
      },
      signal,
    );
  }

  /** `read` receives what was attempted, for errors, and fetches the pages that it needs. */
  #withParts<T>(
    upload: UploadRef,
    signal: AbortSignal | undefined,
    read: (attempted: string, fetchPage: FetchPage) => Promise<T>,
  ): Promise<T> {
    return this.#asking(
      "Listing the upload's parts",
      (attempted) =>
        read(attempted, (page) =>
          this.#client.send(new ListPartsCommand({ ...this.#on(upload), ...page }), sendOptions(signal)),
        ),
      signal,
    );
  }

  #at(key: string) {
    return { Bucket: this.#options.bucket.name, Key: key };
  }

  #on({ key, uploadId }: UploadRef) {
    return { ...this.#at(key), UploadId: uploadId };
  }

  /** Repeats the request with the next credentials if the store rejects them. `signal` ends the waits. */
  async #asking<T>(what: string, work: (attempted: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const attempted = `${what} in bucket ${this.#options.bucket.name}`;
    const { credentials } = this.#options;
    function once() {
      return work(attempted).catch(async (thrown: unknown) => {
        const error = toStoreError(thrown, attempted);
        if (isRenewable(credentials) && isWithoutResponse(error)) await credentials.reread?.();
        throw error;
      });
    }
    if (!isRenewable(credentials)) return once();
    let used = await credentials.current();
    try {
      const result = await once();
      credentials.repeats.limit?.restart();
      return result;
    } catch (error) {
      if (!isKeyRejected(error)) throw error;
    }
    // The store refused the request before it did anything, so it can be repeated, also a Complete.
    return retry(
      async () => {
        await credentials.renew(used);
        used = await credentials.current();
        return once();
      },
      credentials.repeats,
      signal,
    );
  }

  /**
   * A response to HEAD contains no document, so a rejected key looks like a missing permission. The store checks the key of any
   * request before its permissions, and says in the response to a list which of both it is.
   */
  async #explained(thrown: unknown, key: string, signal: AbortSignal | undefined): Promise<unknown> {
    const attempted = `Looking at the object in bucket ${this.#options.bucket.name}`;
    const error = toStoreError(thrown, attempted);
    if (!(error instanceof StoreError) || (error.httpStatus !== 400 && error.httpStatus !== 403))
      return error;
    const command = new ListMultipartUploadsCommand({
      Bucket: this.#options.bucket.name,
      Prefix: key,
      MaxUploads: 1,
    });
    try {
      await this.#client.send(command, sendOptions(signal));
    } catch (listError) {
      const explained = toStoreError(listError, attempted);
      if (isKeyRejected(explained)) return explained;
    }
    return error;
  }
}

/** Opens a client for one bucket. Sends nothing before the first call. */
export function createStore(options: StoreOptions): Store {
  return new S3Store(options);
}
