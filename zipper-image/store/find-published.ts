/** Checks whether the object at a key is the archive of an attempt. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import { retry } from '#runtime/retry.ts';
import type { AbortDeps } from './abort-upload.ts';
import { isDenied } from './store-errors.ts';

export interface FindDeps extends AbortDeps {
  /** How long the responses of the store may show an earlier state. */
  readonly consistencyMs: number;
}

export interface PublishedBy {
  readonly key: string;
  readonly attempt: string;
}

/** The permissions that S3 requires to report whether an object exists. */
export const READ_PERMISSION = 's3:GetObject and s3:ListBucket';

/** Number of checks while a state may still change. */
const CHECKS = 10;

/** Waits until the next check. */
export const untilNextCheck = async ({ consistencyMs, signal }: FindDeps): Promise<void> => {
  await delay(consistencyMs / CHECKS, undefined, signal ? { signal } : {});
};

/** The state now. @throws StoreError if the store did not respond */
export const findPublished = async (deps: AbortDeps, upload: PublishedBy): Promise<RecoveryOutcome> => {
  const { store, signal } = deps;
  try {
    const found = await retry(() => store.head(upload.key, signal), deps.retryPolicy(), signal);
    if (found?.attempt !== upload.attempt) return { outcome: 'absent' };
    return { outcome: 'published', bytes: found.bytes, etag: found.etag };
  } catch (error) {
    // Without permission to list, S3 does not report that an object is missing.
    if (isDenied(error)) return { outcome: 'unknown', missingPermission: READ_PERMISSION };
    throw error;
  }
};

/** Waits for an object that the store may show late. */
export const awaitPublished = async (deps: FindDeps, upload: PublishedBy): Promise<RecoveryOutcome> => {
  const giveUpAt = performance.now() + deps.consistencyMs;
  for (;;) {
    const isLast = performance.now() >= giveUpAt;
    const found = await findPublished(deps, upload);
    if (found.outcome !== 'absent' || isLast) return found;
    await untilNextCheck(deps);
  }
};
