/** Completes an upload and determines the outcome. */
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { OnConflict } from '#crds/zip-job.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { retry } from '#runtime/retry.ts';
import { type AbortDeps, hasResponse } from './abort-upload.ts';
import { awaitPublished, READ_PERMISSION } from './find-published.ts';
import { followsFromParts } from './part-verification.ts';
import { type RecoveryDeps, recoverUpload } from './recover-upload.ts';
import type { Completed, Part } from './store.ts';
import { isStoreCode, StoreError } from './store-errors.ts';

export interface Publication {
  readonly key: string;
  readonly uploadId: string;
  readonly attempt: string;
  readonly bytes: number;
  readonly parts: readonly Part[];
  readonly onConflict: OnConflict;
}

/**
 * Publishes and verifies the archive.
 * @throws StoreError if nothing was published; AppError OutcomeUnknown if the store does not reveal it.
 */
export const publish = async (
  deps: RecoveryDeps,
  upload: Publication,
): Promise<{ readonly etag: string }> => {
  if (upload.onConflict === 'fail' && !deps.store.capabilities.conditionalComplete)
    await refuseExisting(deps, upload.key);
  let tries = 0;
  const complete = () => {
    tries += 1;
    return deps.store.completeUpload(upload, upload.parts, upload.onConflict);
  };
  let completed: Completed;
  try {
    completed = await retry(complete, deps.retryPolicy());
  } catch (error) {
    if (tries === 1 && isRefusal(error)) throw error;
    return resolveDoubt(deps, upload, error);
  }
  await verify(deps, upload, { ...completed, isRepeated: tries > 1 });
  return { etag: completed.etag };
};

/**
 * A clear rejection of the first and only Complete. NoSuchUpload is not one, because whoever ended the upload may
 * have completed it.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof StoreError &&
  !error.retryable &&
  error.httpStatus !== undefined &&
  !isStoreCode(error, 'NoSuchUpload');

/** Determines whether a Complete published the archive although its response was lost or an error. */
const resolveDoubt = async (
  deps: RecoveryDeps,
  upload: Publication,
  failure: unknown,
): Promise<{ readonly etag: string }> => {
  deps.log.warn({ err: failure }, 'Complete failed; checking whether the archive was published anyway');
  let recovered: RecoveryOutcome;
  try {
    recovered = await recoverUpload(deps, { ...upload, state: 'committing' });
  } catch (error) {
    throw unknownOutcome('', error);
  }
  if (recovered.outcome === 'published' && recovered.bytes === upload.bytes) return { etag: recovered.etag };
  if (recovered.outcome === 'absent') throw toError(failure);
  const { missingPermission } = recovered.outcome === 'unknown' ? recovered : {};
  throw unknownOutcome(
    missingPermission === undefined ? '' : `. Grant the credentials ${missingPermission}`,
    failure,
  );
};

const unknownOutcome = (remedy: string, cause: unknown): AppError =>
  new AppError(`Completing the upload: the store does not report whether the archive exists${remedy}`, {
    code: 'OutcomeUnknown',
    retryable: true,
    cause,
  });

/** The response to Complete; repeated if an earlier one was lost or an error. */
type CompletedOnce = Completed & { readonly isRepeated: boolean };

/** The object must match the parts, or at least be ours. A wrong object is deleted if it is ours. */
const verify = async (deps: RecoveryDeps, upload: Publication, completed: CompletedOnce): Promise<void> => {
  const follows = followsFromParts(completed, upload.parts);
  if (follows === 'yes') return;
  if (follows === 'unknown') return verifyByHead(deps, upload, completed);
  try {
    const found = await awaitPublished(deps, upload);
    if (found.outcome === 'published') await deps.store.deleteObject(upload.key);
  } catch (error) {
    deps.log.error({ err: error }, 'could not delete a corrupted archive');
  }
  throw mismatch();
};

const mismatch = (): StoreError =>
  new StoreError('Could not complete the upload: the object does not match its parts', {
    code: 'StoreCorrupted',
    retryable: true,
    storeCode: 'EtagMismatch',
  });

/**
 * Some stores respond with success to the Complete of an upload that no longer exists, if any object exists at the key.
 * If the response cannot be verified, the object must be ours and have the expected size. Without permission to read
 * it, only the response to the first Complete is trusted.
 */
const verifyByHead = async (
  deps: RecoveryDeps,
  upload: Publication,
  { isRepeated }: CompletedOnce,
): Promise<void> => {
  const found = await awaitPublished(deps, upload);
  if (found.outcome === 'unknown' && isRepeated)
    throw unknownOutcome(`. Grant the credentials ${READ_PERMISSION}`, undefined);
  if (found.outcome === 'unknown') return;
  if (found.outcome === 'absent' || found.bytes !== upload.bytes) throw mismatch();
};

const uncheckedKey = (error: StoreError): StoreError =>
  new StoreError(
    `Could not check whether an object exists at the key, which onConflict \`fail\` requires at this store. Grant the credentials ${READ_PERMISSION}`,
    {
      code: error.code,
      retryable: false,
      storeCode: error.storeCode,
      httpStatus: error.httpStatus,
      cause: error,
    },
  );

/**
 * Reports an object that must not be replaced before anything is sent. The check may be denied at a store whose
 * condition at Complete decides.
 */
export const refuseExisting = async (deps: AbortDeps, key: string): Promise<void> => {
  const { store, log, signal } = deps;
  let found: unknown;
  try {
    found = await retry(() => store.head(key, signal), deps.retryPolicy(), signal);
  } catch (error) {
    if (!(error instanceof StoreError) || !hasResponse(error)) throw error;
    if (!store.capabilities.conditionalComplete) throw uncheckedKey(error);
    log.info({ err: error }, 'the store does not report whether an object exists at the key');
  }
  if (found === undefined) return;
  throw new StoreError(
    'Could not write the archive: an object already exists at the key, and onConflict is `fail`. Delete the object, use another key, or set onConflict to `replace`',
    {
      code: 'ObjectExists',
      retryable: false,
      storeCode: 'PreconditionFailed',
    },
  );
};
