import { hashedUuid } from '#runtime/crypto/hashed-uuid.ts';

/**
 * The uuid of a project's job for an Idempotency-Key. It is always the same, so that the name of
 * the ZipJob is the lock that every replica shares. A project that was deleted and created again has another uid, and so
 * other uuids.
 */
export function derivedUuid(projectUid: string, key: string): string {
  return hashedUuid('zipjobs idempotency key', projectUid, key);
}
