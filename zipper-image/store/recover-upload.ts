/**
 * Ends an upload that must no longer be published, and determines whether it was.
 *
 * No single response verifies that an archive is absent. Stores return success for an abort that did nothing, after a
 * Complete and for unknown IDs, and their listings and objects may show an earlier state. So `absent` requires that the
 * store no longer has the upload, and that for a while after that the object does not show. The object itself is
 * reliable, because its metadata contains the ID of the attempt that wrote it.
 */

import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { UploadState } from '#crds/zip-job.ts';
import { toError } from '#runtime/errors.ts';
import { retry } from '#runtime/retry.ts';
import {
  abortOnce,
  abortUpload,
  hasResponse,
  type Presence,
  presenceByParts,
  uploadRemains,
} from './abort-upload.ts';
import { type FindDeps, findPublished, untilNextCheck } from './find-published.ts';
import type { UploadRef } from './store.ts';
import { isDenied, isStoreCode } from './store-errors.ts';

export interface RecoveryDeps extends FindDeps {
  /** Called when an upload could not be aborted. */
  readonly onAbortFailed?: () => void;
}

export type UploadToRecover = UploadRef & {
  readonly state: UploadState['state'];
  readonly attempt: string;
};

export const ABORT_PERMISSION = 's3:AbortMultipartUpload';
/** Either this or the permission to list uploads verifies an abort. */
const PARTS_PERMISSION = 's3:ListMultipartUploadParts';

const presenceInListing = async (deps: RecoveryDeps, { key, uploadId }: UploadRef): Promise<Presence> => {
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
};

/** `refused`: the credentials lack the permission. An error: the store rejected the abort for another reason. */
type AbortResponse = 'accepted' | 'gone' | 'refused' | Error;

/**
 * Only a missing permission is final. Invalid credentials can be replaced, and any other rejection says nothing about
 * the upload or the object.
 */
const abortIfPermitted = async (deps: RecoveryDeps, upload: UploadRef): Promise<AbortResponse> => {
  try {
    return await abortOnce(deps, upload);
  } catch (error) {
    if (isStoreCode(error, 'NoSuchBucket')) return 'gone';
    if (!hasResponse(error)) throw error;
    deps.log.warn({ err: error }, 'could not abort the upload; checking whether it was published');
    return isDenied(error) ? 'refused' : toError(error);
  }
};

/** Both sources must agree, because a listing may lag. The response to the abort counts only if neither is permitted. */
const presenceOf = async (
  deps: RecoveryDeps,
  upload: UploadRef,
  aborted: AbortResponse,
): Promise<Presence> => {
  const reports = [await presenceByParts(deps, upload), await presenceInListing(deps, upload)];
  if (reports.includes('present')) return 'present';
  return reports.includes('gone') || aborted === 'gone' ? 'gone' : 'unreported';
};

interface Check {
  readonly aborted: AbortResponse;
  readonly presence: Presence;
  readonly found: RecoveryOutcome;
}

/** The object is read last: nothing can publish it after the upload is gone. */
const check = async (deps: RecoveryDeps, upload: UploadToRecover): Promise<Check> => {
  const aborted = await abortIfPermitted(deps, upload);
  const presence = await presenceOf(deps, upload, aborted);
  const found = await findPublished(deps, upload);
  if (found.outcome === 'unknown' && presence !== 'gone') deps.onAbortFailed?.();
  if (found.outcome === 'unknown' && aborted instanceof Error) throw aborted;
  return { aborted, presence, found };
};

const notGone = (deps: RecoveryDeps, { aborted, presence }: Check): RecoveryOutcome => {
  deps.onAbortFailed?.();
  if (aborted === 'refused') return { outcome: 'unknown', missingPermission: ABORT_PERMISSION };
  if (aborted instanceof Error) throw aborted;
  if (presence === 'present') throw uploadRemains();
  return { outcome: 'unknown', missingPermission: PARTS_PERMISSION };
};

/** Repeats the check until the object shows, the upload has been gone for long enough, or time is up. */
const followCommit = async (deps: RecoveryDeps, upload: UploadToRecover): Promise<RecoveryOutcome> => {
  const { consistencyMs } = deps;
  const giveUpAfter = performance.now() + consistencyMs;
  let goneSince: number | undefined;
  for (;;) {
    const startedAt = performance.now();
    const seen = await check(deps, upload);
    if (seen.found.outcome !== 'absent') return seen.found;
    goneSince = seen.presence === 'gone' ? (goneSince ?? performance.now()) : undefined;
    const isOver = startedAt - (goneSince ?? giveUpAfter) >= consistencyMs;
    if (isOver) return goneSince === undefined ? notGone(deps, seen) : seen.found;
    await untilNextCheck(deps);
  }
};

const abortOpen = async (deps: RecoveryDeps, upload: UploadRef): Promise<void> => {
  try {
    await abortUpload(deps, upload);
  } catch (error) {
    deps.onAbortFailed?.();
    if (!hasResponse(error) && !isStoreCode(error, 'UploadRemains')) throw toError(error);
    deps.log.warn({ err: error }, 'could not abort the upload; its parts may remain in the bucket');
  }
};

/** @throws StoreError if the store did not respond, or still has the upload; then the outcome stays unknown */
export const recoverUpload = async (
  deps: RecoveryDeps,
  upload: UploadToRecover,
): Promise<RecoveryOutcome> => {
  if (upload.state === 'committing') return followCommit(deps, upload);
  await abortOpen(deps, upload);
  // Complete is sent only after `committing` was recorded, so an open upload has published nothing.
  return { outcome: 'absent' };
};
