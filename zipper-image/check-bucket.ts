/**
 * Tries everything that an archive needs of a bucket, without ever publishing an object: starts an upload, sends one part,
 * looks for an object, lists and aborts. What is refused is named as the permission that is missing.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Failure } from '#crds/zip-job.ts';
import type { BucketCheck } from '#crds/zipper-contract.ts';
import type { Logger } from '#runtime/log.ts';
import { retry } from '#runtime/retry.ts';
import type { PartDigests } from './part-writer.ts';
import type { Store, UploadRef } from './store.ts';
import { isDenied } from './store-errors.ts';
import { type StoreRetrySettings, storeRetryPolicy } from './store-retry.ts';

export interface CheckBucketDeps {
  readonly store: Store;
  readonly settings: StoreRetrySettings;
  readonly log: Logger;
  readonly podUid: string;
  readonly signal: AbortSignal;
  readonly toFailure: (error: unknown) => Failure;
}

const BODY = Buffer.from('zipjobs looks whether this bucket can be written to; nothing is kept of it\n');

const digestsOf = (store: Store): PartDigests =>
  store.partChecksum === 'md5'
    ? { kind: 'md5', md5: createHash('md5').update(BODY).digest() }
    : { kind: 'crc32', crc32: crc32(BODY) };

/** Tells what the credentials can do with the bucket. Never throws for what the store answers. */
export const checkBucket = async (deps: CheckBucketDeps): Promise<BucketCheck> => {
  const { store, signal } = deps;
  const key = `.zipjobs-check-${deps.podUid}`;
  const attempt = <T>(work: () => Promise<T>): Promise<T> =>
    retry(work, storeRetryPolicy(deps.settings, deps.log), signal);
  const missing: string[] = [];
  const note = async (permission: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await attempt(work);
    } catch (error) {
      if (!isDenied(error)) throw error;
      missing.push(permission);
    }
  };
  let upload: UploadRef | undefined;
  try {
    const uploadId = await attempt(() => store.createUpload(key, deps.podUid, signal));
    const started: UploadRef = { key, uploadId };
    upload = started;
    const part = { number: 1, body: BODY, digests: digestsOf(store) };
    await attempt(() => store.uploadPart(started, part, signal));
    await note('s3:GetObject and s3:ListBucket', () => store.head(key, signal));
    await note('s3:ListMultipartUploadParts', () => store.isOpen(started, signal));
    upload = undefined;
    await note('s3:AbortMultipartUpload', () => store.abortUpload(started, signal));
    return { ok: true, missingPermissions: missing };
  } catch (error) {
    if (upload)
      await store
        .abortUpload(upload)
        .catch((abortError: unknown) =>
          deps.log.warn({ err: abortError }, 'the upload of the check could not be aborted'),
        );
    if (isDenied(error)) missing.push('s3:PutObject');
    return { ok: false, missingPermissions: missing, failure: deps.toFailure(error) };
  }
};
