/**
 * Decides from the store whether an attempt published its archive. The zipper and recovery use it, and nothing else decides.
 *
 * No response to Complete or to an abort is evidence. Stores report success for a Complete if any object is at the key, and
 * for an abort that did nothing. Some remove the upload when they take a Complete, and show the object only when all parts
 * are copied, which takes minutes for a large archive. The object itself is reliable, because its metadata contains the ID
 * of the attempt that wrote it.
 */
import { retry } from '#runtime/time/retry.ts';
import { type AbortDeps, hasResponse, type Presence, presenceByParts } from './abort-upload.ts';
import type { UploadRef } from './store.ts';
import { isDenied, isStoreCode, StoreError } from './store-errors.ts';

/** The permissions that S3 requires to report whether an object exists. */
export const READ_PERMISSION = 's3:GetObject and s3:ListBucket';
/** Either this or the permission to list uploads verifies an abort. */
export const PARTS_PERMISSION = 's3:ListMultipartUploadParts';

/** The slowest store that is expected to assemble an archive, in bytes per second. */
const ASSEMBLY_RATE = 20 * 1024 * 1024;
const MAX_ASSEMBLY_MS = 24 * 60 * 60 * 1000;

/** How long a store may take to show an archive of this size after it took the Complete. */
export function assemblyMs(bytes: number, consistencyMs: number): number {
  return Math.min((bytes / ASSEMBLY_RATE) * 1000 + consistencyMs, MAX_ASSEMBLY_MS);
}

/** What is known of an attempt and its upload. */
export interface Evidence {
  /**
   * `ours`: the object has the ID of the attempt and the recorded size. `resized`: it has another size. `other`: there is no
   * object, or one of somebody else. `denied`: the credentials cannot read it.
   */
  readonly object: 'ours' | 'resized' | 'other' | 'denied';
  readonly upload: Presence;
  /** The store had the upload before it accepted our abort. */
  readonly isAborted: boolean;
  /** The upload has been gone for STORE_CONSISTENCY_MS. */
  readonly isConsistent: boolean;
  /** A Complete that was sent may still be carried out. */
  readonly mayRun: boolean;
  /** The store responded with success to the first Complete. Counts only if the object cannot be read. */
  readonly isAcknowledged: boolean;
}

/**
 * `running`: the archive may appear. `open`: nothing was published, and the upload can still be completed or aborted.
 * `absent`: nothing was published, and nothing can be any more. `unknown`: the store will not reveal more.
 */
export type Verdict = 'published' | 'running' | 'open' | 'absent' | 'unknown';

function ofMissing({ upload, isAborted, isConsistent, mayRun }: Evidence): Verdict {
  if (upload === 'gone' && isAborted) return isConsistent ? 'absent' : 'running';
  // Whatever removed the upload may have been a Complete.
  if (mayRun) return 'running';
  return upload === 'present' ? 'open' : 'unknown';
}

export function judge(evidence: Evidence): Verdict {
  switch (evidence.object) {
    case 'ours':
      return 'published';
    case 'resized':
      return 'unknown';
    case 'denied':
      return evidence.isAcknowledged ? 'published' : 'unknown';
    case 'other':
      return ofMissing(evidence);
  }
}

/** The archive to look for. */
export interface Wanted extends UploadRef {
  readonly attempt: string;
  /** Recorded size; undefined if none was recorded. */
  readonly bytes: number | undefined;
}

export interface SeenObject {
  readonly object: Evidence['object'];
  /** The object at the key is somebody else's. */
  readonly isForeign?: boolean;
  /** Of an object of the attempt. */
  readonly found?: { readonly bytes: number; readonly etag: string };
}

/** A store without this request does not report either. */
function isUnsupported(error: unknown): boolean {
  return error instanceof StoreError && (error.httpStatus === 405 || error.httpStatus === 501);
}

/** @throws StoreError if the store did not respond */
export async function readObject(deps: AbortDeps, { key, attempt, bytes }: Wanted): Promise<SeenObject> {
  const { store, signal } = deps;
  try {
    const found = await retry(() => store.head(key, signal), deps.retryPolicy(), signal);
    if (found?.attempt !== attempt) return { object: 'other', isForeign: found !== undefined };
    const isWhole = bytes === undefined || bytes === found.bytes;
    return { object: isWhole ? 'ours' : 'resized', found: { bytes: found.bytes, etag: found.etag } };
  } catch (error) {
    // Without permission to list, S3 does not report that an object is missing.
    if (isDenied(error) || isUnsupported(error)) return { object: 'denied' };
    throw error;
  }
}

async function presenceInListing(deps: AbortDeps, { key, uploadId }: UploadRef): Promise<Presence> {
  const { store, signal, log } = deps;
  try {
    const listed = await retry(() => store.listUploads(key, signal), deps.retryPolicy(), signal);
    return listed.some((upload) => upload.uploadId === uploadId) ? 'present' : 'gone';
  } catch (error) {
    if (isStoreCode(error, 'NoSuchBucket')) return 'gone';
    if (!hasResponse(error)) throw error;
    log.debug({ err: error }, 'the store does not list uploads');
    return 'unreported';
  }
}

async function reportsOf(deps: AbortDeps, upload: UploadRef): Promise<readonly Presence[]> {
  return [await presenceByParts(deps, upload), await presenceInListing(deps, upload)];
}

/** It is gone only if both sources agree, because a listing may lag. @throws StoreError if the store did not respond */
export async function presenceOf(deps: AbortDeps, upload: UploadRef): Promise<Presence> {
  const reports = await reportsOf(deps, upload);
  if (reports.includes('present')) return 'present';
  return reports.includes('gone') ? 'gone' : 'unreported';
}

/** Before an abort, it is present only if both sources agree. @throws StoreError if the store did not respond */
export async function presenceBeforeAbort(deps: AbortDeps, upload: UploadRef): Promise<Presence> {
  const reports = await reportsOf(deps, upload);
  if (reports.includes('gone')) return 'gone';
  return reports.includes('present') ? 'present' : 'unreported';
}
