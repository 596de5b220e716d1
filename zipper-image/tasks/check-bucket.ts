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
import { createLateSignal } from '../store/late-signal.ts';
import type { PartDigests } from '../store/part-writer.ts';
import { LOOK_PERMISSION, wasAnswered } from '../store/settle-upload.ts';
import type { Store, UploadRef } from '../store/store.ts';
import { isDenied } from '../store/store-errors.ts';
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

/** What was refused so far, in the order in which it was tried. */
class Refusals {
  readonly missing: string[] = [];
  /** Of what no archive can do without. */
  fatal: unknown;
  readonly #deps: CheckBucketDeps;

  constructor(deps: CheckBucketDeps) {
    this.#deps = deps;
  }

  /** What an archive can do without: refused, or not there at all in this kind of store. */
  async note(permission: string, work: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
    const { settings, log } = this.#deps;
    try {
      await retry(work, storeRetryPolicy(settings, log), signal);
    } catch (error) {
      if (!wasAnswered(error)) throw error;
      this.missing.push(permission);
    }
  }

  /** Undefined when it was refused. */
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

/** Everything but the start of the upload; a refusal does not end it, so that all are told at once. */
const tryUpload = async (deps: CheckBucketDeps, refusals: Refusals, upload: UploadRef): Promise<void> => {
  const { store, signal } = deps;
  const part = { number: 1, body: BODY, digests: digestsOf(store) };
  await refusals.need('s3:PutObject', () => store.uploadPart(upload, part, signal));
  await refusals.note(LOOK_PERMISSION, () => store.head(upload.key, signal), signal);
  await refusals.note('s3:ListMultipartUploadParts', () => store.lookAtUpload(upload, signal), signal);
  const list = () => store.listUploads(upload.key, signal);
  await refusals.note('s3:ListBucketMultipartUploads', list, signal);
};

/** Also when the pod is told to stop: nothing may be left behind. */
const abort = async (deps: CheckBucketDeps, refusals: Refusals, upload: UploadRef): Promise<void> => {
  try {
    await refusals.note('s3:AbortMultipartUpload', () => deps.store.abortUpload(upload));
  } catch (error) {
    refusals.fatal ??= error;
    deps.log.warn({ err: error }, 'could not abort the test upload');
  }
};

/** Tells what the credentials can do with the bucket. Never throws for what the store answers. */
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
    ...(missing.includes(LOOK_PERMISSION) && { warnings: ['FenceIncomplete' as const] }),
    ...(fatal !== undefined && { failure: deps.toFailure(fatal) }),
  };
};
