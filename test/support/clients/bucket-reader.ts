import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type MultipartUpload,
  PutObjectCommand,
  type Tag,
} from '@aws-sdk/client-s3';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import { createStoreClient } from '#tools/local-cluster/store.ts';

/** Reads one bucket of the local store with the credentials of its owner. */
export interface BucketReader extends Disposable {
  exists(key: string): Promise<boolean>;
  size(key: string): Promise<number>;
  keys(): Promise<readonly string[]>;
  /** IDs of multipart uploads that were neither completed nor aborted. */
  openUploads(): Promise<readonly string[]>;
  /** The key of each of these uploads. */
  openUploadKeys(): Promise<readonly string[]>;
  /** Headers and metadata of an object. */
  head(key: string): Promise<HeadObjectCommandOutput>;
  /** The CRC-32 that the store has of an object, in base64, and whether it is of all bytes. */
  checksum(key: string): Promise<{ readonly crc32: string | undefined; readonly type: string | undefined }>;
  /** Headers, metadata and tags of an object. */
  describe(key: string): Promise<{ readonly head: HeadObjectCommandOutput; readonly tags: readonly Tag[] }>;
  bytes(key: string): Promise<Buffer>;
  put(key: string, body: Buffer): Promise<void>;
  download(key: string, toPath: string): Promise<void>;
  /** Of an object that may be larger than the memory, in hexadecimal digits. */
  sha256(key: string): Promise<string>;
  remove(key: string): Promise<void>;
}

export function createBucketReader(store: StoreAccess, bucket: string): BucketReader {
  const client = createStoreClient(store);
  async function body(key: string): Promise<Readable> {
    const response = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    if (!(response.Body instanceof Readable)) throw new Error(`the store returned no body for ${key}`);
    return response.Body;
  }
  function head(key: string): Promise<HeadObjectCommandOutput> {
    return client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  }
  async function keys(): Promise<readonly string[]> {
    const response = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    return (response.Contents ?? []).flatMap((object) => object.Key ?? []);
  }
  async function uploads(): Promise<readonly MultipartUpload[]> {
    return (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? [];
  }
  return {
    keys,
    exists: async (key) => (await keys()).includes(key),
    size: async (key) => (await head(key)).ContentLength ?? Number.NaN,
    openUploads: async () => (await uploads()).flatMap((upload) => upload.UploadId ?? []),
    openUploadKeys: async () => (await uploads()).flatMap((upload) => upload.Key ?? []),
    head,
    checksum: async (key) => {
      const at = { Bucket: bucket, Key: key };
      const found = await client.send(new HeadObjectCommand({ ...at, ChecksumMode: 'ENABLED' }));
      return { crc32: found.ChecksumCRC32, type: found.ChecksumType };
    },
    describe: async (Key) => {
      const at = { Bucket: bucket, Key };
      const { TagSet: tags = [] } = await client.send(new GetObjectTaggingCommand(at));
      return { head: await head(Key), tags };
    },
    bytes: async (key) => Buffer.concat(await (await body(key)).toArray()),
    put: async (key, Body) => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body }));
    },
    download: async (key, toPath) => pipeline(await body(key), createWriteStream(toPath)),
    sha256: async (key) => {
      const hash = createHash('sha256');
      for await (const piece of await body(key)) hash.update(piece as Buffer);
      return hash.digest('hex');
    },
    remove: async (key) => {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}
