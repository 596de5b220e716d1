/**
 * Tests every operation that an archive needs, without publishing an object: starts an upload, sends one part,
 * reads an object, lists and aborts. Reports each rejected operation as a missing permission.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BucketCheck } from '#crds/termination-message.ts';
import type { Failure } from '#crds/zip-job.ts';
import type { Logger } from '#runtime/log.ts';
import { retry } from '#runtime/retry.ts';
import { abortUpload, hasResponse } from '../store/abort-upload.ts';
import { READ_PERMISSION } from '../store/find-published.ts';
import { createLateSignal } from '../store/late-signal.ts';
import type { PartDigests } from '../store/part-writer.ts';
import { ABORT_PERMISSION } from '../store/recover-upload.ts';
import type { Store, UploadRef } from '../store/store.ts';
import { isDenied, isStoreCode } from '../store/store-errors.ts';
import { type StoreRetrySettings, storeRetryPolicy } from '../store/store-retry.ts';

export interface CheckBucketDeps {
  readonly store: Store;
  readonly settings: StoreRetrySettings & { readonly storeStartGraceMs: number };
  readonly log: Logger;
  readonly podUid: string;
  readonly signal: AbortSignal;
  readonly toFailure: (error: unknown) => Failure;
}

const BODY = Buffer.from('zipjobs tests whether it can write to this bucket; this upload is aborted\n');

const digestsOf = ({ partChecksum }: Store): PartDigests =>
  partChecksum === 'md5'
    ? { kind: 'md5', md5: createHash('md5').update(BODY).digest() }
    : { kind: 'crc32', crc32: crc32(BODY) };

/** Rejected operations so far, in order. */
class Refusals {
  readonly missing: string[] = [];
  /** A required operation. */
  fatal: unknown;
  readonly #deps: CheckBucketDeps;

  constructor(deps: CheckBucketDeps) {
    this.#deps = deps;
  }

  /** An optional operation: rejected, or not supported by this store. */
  async note(permission: string, work: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
    const { settings, log } = this.#deps;
    try {
      await retry(work, storeRetryPolicy(settings, log), signal);
    } catch (error) {
      if (!hasResponse(error)) throw error;
      this.missing.push(permission);
    }
  }

  /** Undefined if it was rejected. */
  async need<T>(permission: string, work: () => Promise<T>): Promise<T | undefined> {
    const { settings, log, signal } = this.#deps;
    try {
      return await retry(work, storeRetryPolicy(settings, log), signal);
    } catch (error) {
      this.fatal ??= error;
      if (!isDenied(error)) throw error;
      this.missing.push(permission);
      return undefined;
    }
  }
}

/** Everything after the start of the upload; continues after a rejection, to report all of them at once. */
const tryUpload = async (deps: CheckBucketDeps, refusals: Refusals, upload: UploadRef): Promise<void> => {
  const { store, signal } = deps;
  const part = { number: 1, body: BODY, digests: digestsOf(store) };
  await refusals.need('s3:PutObject', () => store.uploadPart(upload, part, signal));
  await refusals.note(READ_PERMISSION, () => store.head(upload.key, signal), signal);
  await refusals.note('s3:ListMultipartUploadParts', () => store.lookAtUpload(upload, signal), signal);
  const list = () => store.listUploads(upload.key, signal);
  await refusals.note('s3:ListBucketMultipartUploads', list, signal);
};

/** Runs even when the pod is terminated, so that no upload remains. An abort without effect is as good as none. */
const abort = async (deps: CheckBucketDeps, refusals: Refusals, upload: UploadRef): Promise<void> => {
  const { store, log, settings } = deps;
  try {
    await abortUpload({ store, log, retryPolicy: () => storeRetryPolicy(settings, log) }, upload);
  } catch (error) {
    log.warn({ err: error }, 'could not abort the test upload');
    if (hasResponse(error) || isStoreCode(error, 'UploadRemains')) refusals.missing.push(ABORT_PERMISSION);
    else refusals.fatal ??= error;
  }
};

/** Reports what the credentials can do with the bucket. Never throws for a response of the store. */
export const checkBucket = async (deps: CheckBucketDeps): Promise<BucketCheck> => {
  const { store, signal } = deps;
  const key = `.zipjobs-check-${deps.podUid}`;
  const refusals = new Refusals(deps);
  using late = createLateSignal(signal, deps.settings.storeStartGraceMs);
  const start = () => store.createUpload(key, deps.podUid, late.signal);
  let uploadId: string | undefined;
  try {
    uploadId = await refusals.need('s3:PutObject', start);
    if (uploadId !== undefined) await tryUpload(deps, refusals, { key, uploadId });
  } catch (error) {
    refusals.fatal ??= error;
  }
  if (uploadId !== undefined) await abort(deps, refusals, { key, uploadId });
  const { missing, fatal } = refusals;
  return {
    ok: fatal === undefined,
    missingPermissions: missing,
    ...(fatal !== undefined && { failure: deps.toFailure(fatal) }),
  };
};
