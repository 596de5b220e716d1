import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { createHttpAgents } from '#runtime/egress/http-agents.ts';
import { toError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { fixedTrust } from '#runtime/tls/trust.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import type { PartDigests } from '#zipper-image/store/part.ts';
import type { PartToSend } from '#zipper-image/store/part-request.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store, type UploadRef } from '#zipper-image/store/store.ts';
import type { PartChecksum } from '#zipper-image/store/store-capabilities.ts';
import { StoreError } from '#zipper-image/store/store-errors.ts';

const MIB = 1024 * 1024;
/** The smallest part that S3 accepts before another. */
export const PART_BYTES = 5 * MIB;
/** Stores that assemble archives of a few parts take seconds at most. */
export const COMPLETE_LIMIT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;

/** The bucket to check, and keys that may read, write, list and delete in it. */
export interface Target extends StoreAccess {
  readonly bucket: string;
  /** Only of temporary credentials. */
  readonly sessionToken?: string;
}

/** What differs from the target. */
export interface StoreChange {
  readonly bucket?: Partial<TaskBucket>;
  readonly keys?: Partial<Pick<Target, 'accessKeyId' | 'secretAccessKey'>>;
  /** Default: what the store confirms. */
  readonly checksum?: PartChecksum;
}

/** Settings of the zipper for small archives. */
export const ZIPPER_SETTINGS = {
  partSizeBytes: PART_BYTES,
  storeBufferBytes: 0,
  maxArchiveBytes: 2 ** 40,
  storeRetryLimitMs: 5_000,
  storeRetryBaseMs: 10,
  storeRetryMaxMs: 100,
  storeStartGraceMs: 300,
  storeConsistencyMs: 50,
  storeIdleTimeoutMs: 20_000,
  recoveryLimitMs: 20_000,
};

/** What checks run with. Disposing it closes its connections. */
export interface World extends Disposable {
  readonly target: Target;
  readonly store: Store;
  readonly reader: BucketReader;
  readonly log: ReturnType<typeof createLogger>;
  /** A client of the zipper that differs from `store`. */
  readonly open: (change: StoreChange) => Store;
  /** A new key below the prefix of this run, which `removeAll` deletes. */
  readonly key: (name?: string) => string;
  /** Aborts every upload of this run, and deletes every object. */
  readonly removeAll: () => Promise<void>;
}

function openStore(target: Target, { bucket = {}, keys = {}, checksum }: StoreChange): Store {
  const { endpoint, region, authority } = target;
  const place: TaskBucket = { service: 's3', name: target.bucket, endpoint, region, ...bucket };
  const provider = providerOf(place, { allowedHosts: [new URL(endpoint).host], allowHttp: true });
  const { accessKeyId, secretAccessKey, sessionToken } = { ...target, ...keys };
  const trust = authority === undefined ? {} : { trust: fixedTrust(parseCertificates(authority, '--ca')) };
  return createStore({
    bucket: place,
    provider: {
      ...provider,
      capabilities: { ...provider.capabilities, ...(checksum && { partChecksum: checksum }) },
    },
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    agents: createHttpAgents({ connections: 8, ...trust }),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
}

export function createWorld(target: Target): World {
  const life = new DisposableStack();
  const prefix = `zipjobs-store-contract-${randomBytes(6).toString('hex')}/`;
  const keys: string[] = [];
  function open(change: StoreChange): Store {
    return life.adopt(openStore(target, change), (store) => store.close());
  }
  const store = open({});
  return {
    target,
    store,
    reader: life.use(createBucketReader(target, target.bucket)),
    log: createLogger('store-contract', { level: 'silent' }),
    open,
    key: (name) => {
      const key = `${prefix}${name ?? `${keys.length}.zip`}`;
      keys.push(key);
      return key;
    },
    removeAll: async () => {
      for (const key of keys) {
        const uploads = await store.listUploads(key).catch(() => []);
        for (const upload of uploads) await store.abortUpload(upload).catch(() => undefined);
        await store.deleteObject(key).catch(() => undefined);
      }
    },
    [Symbol.dispose]: () => life.dispose(),
  };
}

function digestsOf(body: Buffer, checksum: PartChecksum): PartDigests {
  return checksum === 'md5'
    ? { kind: 'md5', md5: createHash('md5').update(body).digest() }
    : { kind: 'crc32', crc32: crc32(body) };
}

/** A part with the digest of `summed`, which are other bytes if the store should refuse it. */
export function aPart(
  number: number,
  checksum: PartChecksum,
  { body, summed = body }: { readonly body: Buffer; readonly summed?: Buffer },
): PartToSend {
  return { number, bytes: body.length, body: [body], digests: digestsOf(summed, checksum) };
}

export const ATTEMPT = 'attempt-1';

/** An upload whose parts the store has. */
export interface Sent {
  readonly upload: UploadRef;
  readonly parts: readonly Part[];
  readonly body: Buffer;
}

/** Sends parts of these sizes at the same time, the last one first. */
export async function sendParts(store: Store, key: string, sizes: readonly number[]): Promise<Sent> {
  const upload = { key, uploadId: await store.createUpload(key, ATTEMPT) };
  const bodies = sizes.map((bytes) => randomBytes(bytes));
  const sending = bodies.map((body, index) => aPart(index + 1, store.partChecksum, { body })).toReversed();
  const parts = await Promise.all(sending.map((part) => store.uploadPart(upload, part)));
  return { upload, parts: parts.toReversed(), body: Buffer.concat(bodies) };
}

/** An object that the store has completed from one part. */
export async function publish(store: Store, key: string, bytes = 1000) {
  const sent = await sendParts(store, key, [bytes]);
  const completed = await store.completeUpload(sent.upload, sent.parts, {
    onConflict: 'replace',
    limitMs: COMPLETE_LIMIT_MS,
  });
  return { ...sent, ...completed };
}

/** The store's name of the error. */
export function codeOf(error: unknown): string {
  return error instanceof StoreError ? error.storeCode : toError(error).message;
}

/** The error of the store; undefined if there is none. */
export async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
