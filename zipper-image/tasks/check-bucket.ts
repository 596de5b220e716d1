/**
 * Tests every operation that an archive needs, without publishing an object: starts an upload with the options of the
 * bucket, sends one part, reads an object, lists and aborts. Reports each rejected operation as a missing permission.
 */
import { createHash } from 'node:crypto';
import type { BucketCheck } from '#crds/termination-message.ts';
import type { Failure } from '#crds/zip-job.ts';
import { toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { retry } from '#runtime/time/retry.ts';
import { crc32 } from '../crc32.ts';
import { abortUpload, hasResponse } from '../store/abort-upload.ts';
import { READ_PERMISSION } from '../store/evidence.ts';
import { createLateSignal } from '../store/late-signal.ts';
import { OPTION_PERMISSIONS, type PermittedOption } from '../store/object-headers.ts';
import type { PartDigests } from '../store/part.ts';
import { ABORT_PERMISSION } from '../store/recover-upload.ts';
import type { Store, UploadRef } from '../store/store.ts';
import { isDenied, isStoreCode } from '../store/store-errors.ts';
import { lookUpPolicy, type StoreRetrySettings } from '../store/store-retry.ts';

export interface CheckBucketDeps {
  readonly store: Store;
  readonly settings: StoreRetrySettings & { readonly storeStartGraceMs: number };
  readonly log: Logger;
  readonly podUid: string;
  readonly signal: AbortSignal;
  readonly toFailure: (error: unknown) => Failure;
}

const BODY = Buffer.from('zipjobs tests whether it can write to this bucket; this upload is aborted\n');

function digestsOf({ partChecksum }: Store): PartDigests {
  return partChecksum === 'md5'
    ? { kind: 'md5', md5: createHash('md5').update(BODY).digest() }
    : { kind: 'crc32', crc32: crc32(BODY) };
}

/** Rejected operations so far, in order. */
class Refusals {
  readonly missing: string[] = [];
  /** Of a required operation. */
  fatal: unknown;
  readonly #deps: CheckBucketDeps;

  constructor(deps: CheckBucketDeps) {
    this.#deps = deps;
  }

  /** An optional operation: rejected, or not supported by this store. */
  async note(permission: string, work: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
    const { settings, log } = this.#deps;
    try {
      await retry(work, lookUpPolicy(settings, log), signal);
    } catch (error) {
      if (!hasResponse(error)) throw error;
      this.missing.push(permission);
    }
  }

  /** A required operation. Undefined if it was rejected. */
  async need<T>(work: () => Promise<T>, onDenied: (error: unknown) => void): Promise<T | undefined> {
    const { settings, log, signal } = this.#deps;
    try {
      return await retry(work, lookUpPolicy(settings, log), signal);
    } catch (error) {
      this.fatal ??= error;
      if (!isDenied(error)) throw error;
      onDenied(error);
      return undefined;
    }
  }
}

/** AWS names the missing action in its message. */
const NAMED_ACTION = /not authorized to perform: ([a-z0-9-]+:[A-Za-z]+)/;

function missingAction(error: unknown, otherwise: string): string {
  return NAMED_ACTION.exec(toError(error).message)?.[1] ?? otherwise;
}

interface Started {
  readonly uploadId: string;
  /** The store without the options that were rejected. */
  readonly store: Store;
}

/** All combinations of these options, from the smallest to the largest. */
function combinations(options: readonly PermittedOption[]): readonly (readonly PermittedOption[])[] {
  return options
    .reduce<readonly (readonly PermittedOption[])[]>(
      (all, option) => [...all, ...all.map((some) => [...some, option])],
      [[]],
    )
    .toSorted((a, b) => a.length - b.length);
}

/**
 * Starts the upload with as many options of the bucket as the credentials permit. A rejection rarely says which option
 * caused it, so the upload is tried without each option, then without each pair.
 */
async function startUpload(
  { store, podUid }: CheckBucketDeps,
  refusals: Refusals,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<Started | undefined> {
  const denials: unknown[] = [];
  for (const omitted of combinations(store.permittedOptions)) {
    const reduced = omitted.length === 0 ? store : store.without(omitted);
    const uploadId = await refusals.need(
      () => reduced.createUpload(key, podUid, signal),
      (error) => denials.push(error),
    );
    if (uploadId === undefined) continue;
    const missing = omitted.map((option) => OPTION_PERMISSIONS[option]);
    const [only, ...others] = missing;
    refusals.missing.push(
      ...(only === undefined || others.length > 0 ? missing : [missingAction(denials[0], only)]),
    );
    return { uploadId, store: reduced };
  }
  // A bucket policy may require the encryption whose key denied the first start.
  const named = [denials[0], denials.at(-1)].map((error) => missingAction(error, 's3:PutObject'));
  refusals.missing.push(...new Set(named));
  return undefined;
}

/** Everything after the start of the upload; continues after a rejection, to report all of them at once. */
async function tryUpload(deps: CheckBucketDeps, refusals: Refusals, upload: UploadRef): Promise<void> {
  const { store, signal } = deps;
  const part = { number: 1, bytes: BODY.length, body: [BODY], digests: digestsOf(store) };
  const isKms = store.permittedOptions.includes('serverSideEncryption');
  // The upload has started, so with SSE-KMS the part most likely lacks the other permission on the key.
  const needed = isKms ? 'kms:Decrypt' : 's3:PutObject';
  await refusals.need(
    () => store.uploadPart(upload, part, signal),
    (error) => refusals.missing.push(missingAction(error, needed)),
  );
  await refusals.note(READ_PERMISSION, () => store.head(upload.key, signal), signal);
  await refusals.note('s3:ListMultipartUploadParts', () => store.lookAtUpload(upload, signal), signal);
  function list() {
    return store.listUploads(upload.key, signal);
  }
  await refusals.note('s3:ListBucketMultipartUploads', list, signal);
}

/** Runs even when the pod is terminated, so that no upload remains. An abort without effect is as good as none. */
async function abort(deps: CheckBucketDeps, refusals: Refusals, upload: UploadRef): Promise<void> {
  const { store, log, settings } = deps;
  try {
    await abortUpload({ store, log, retryPolicy: () => lookUpPolicy(settings, log) }, upload);
  } catch (error) {
    log.warn({ err: error }, 'could not abort the test upload');
    if (hasResponse(error) || isStoreCode(error, 'UploadRemains')) refusals.missing.push(ABORT_PERMISSION);
    else refusals.fatal ??= error;
  }
}

/** Reports what the credentials can do with the bucket. Never throws for a response of the store. */
export async function checkBucket(deps: CheckBucketDeps): Promise<BucketCheck> {
  const key = `.zipjobs-check-${deps.podUid}`;
  const refusals = new Refusals(deps);
  using late = createLateSignal(deps.signal, deps.settings.storeStartGraceMs);
  let started: Started | undefined;
  try {
    started = await startUpload(deps, refusals, { key, signal: late.signal });
    if (started) await tryUpload({ ...deps, ...started }, refusals, { key, uploadId: started.uploadId });
  } catch (error) {
    refusals.fatal ??= error;
  }
  if (started) await abort(deps, refusals, { key, uploadId: started.uploadId });
  const { missing, fatal } = refusals;
  return {
    ok: fatal === undefined,
    missingPermissions: missing,
    ...(fatal !== undefined && { failure: deps.toFailure(fatal) }),
  };
}
