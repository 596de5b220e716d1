/** The Complete of an upload, and the certainty about what became of it. */
import { createHash } from 'node:crypto';
import type { OnConflict } from '#crds/zip-job.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { retry } from '#runtime/retry.ts';
import { findPublished, type SettleDeps, settleUpload } from './settle-upload.ts';
import type { Part } from './store.ts';
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
 * Publishes the archive and proves it.
 * @throws StoreError when nothing was published; AppError OutcomeUnknown when the store does not tell.
 */
export const publish = async (deps: SettleDeps, upload: Publication): Promise<{ readonly etag: string }> => {
  let tries = 0;
  const complete = () => {
    tries += 1;
    return deps.store.completeUpload(upload, upload.parts, upload.onConflict);
  };
  let etag: string;
  try {
    ({ etag } = await retry(complete, deps.retryPolicy()));
  } catch (error) {
    if (tries === 1 && isRefusal(error)) throw error;
    return resolveDoubt(deps, upload, error);
  }
  await proveEtag(deps, upload, etag);
  return { etag };
};

/** A plain no to the first and only Complete. NoSuchUpload is none: whoever ended the upload may have completed it. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StoreError &&
  !error.retryable &&
  error.httpStatus !== undefined &&
  !isStoreCode(error, 'NoSuchUpload');

/** Did a Complete publish the archive although its answer was lost, or told otherwise? */
const resolveDoubt = async (
  deps: SettleDeps,
  upload: Publication,
  failure: unknown,
): Promise<{ readonly etag: string }> => {
  deps.log.warn({ err: failure }, 'Complete failed; looking whether the archive is there all the same');
  const settled = await settleUpload(deps, { ...upload, state: 'committing' });
  if (settled.outcome === 'published' && settled.bytes === upload.bytes) return { etag: settled.etag };
  if (settled.outcome === 'absent') throw toError(failure);
  throw new AppError(
    'Completing the upload: the store does not tell whether the archive is there; give the credentials s3:GetObject and s3:ListBucket',
    { code: 'OutcomeUnknown', retryable: true, cause: failure },
  );
};

/** S3's ETag of an object made of parts: the MD5 of the parts' MD5s, and their number. */
const etagOfParts = (parts: readonly Part[]): string => {
  const hash = createHash('md5');
  for (const { digests } of parts) if (digests.kind === 'md5') hash.update(digests.md5);
  return `${hash.digest('hex')}-${parts.length}`;
};

/** Where ETags are MD5s the object's must follow from the parts'. A wrong object is taken away again if it is ours. */
const proveEtag = async (deps: SettleDeps, upload: Publication, etag: string): Promise<void> => {
  const { parts, key } = upload;
  if (!parts.every(({ etagIsMd5 }) => etagIsMd5) || !/^[0-9a-f]{32}-\d+$/.test(etag)) return;
  if (etag === etagOfParts(parts)) return;
  try {
    const found = await findPublished(deps, upload);
    if (found.outcome === 'published') await deps.store.deleteObject(key);
  } catch (error) {
    deps.log.error({ err: error }, 'an archive that is not what was sent could not be deleted again');
  }
  throw new StoreError('Completing the upload: the object has another ETag than its parts give', {
    code: 'StoreCorrupted',
    retryable: true,
    storeCode: 'EtagMismatch',
  });
};
