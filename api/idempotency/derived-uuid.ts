import { createHash } from 'node:crypto';

const PURPOSE = 'zipjobs idempotency key';

const VERSION_8 = 0x80;
const VARIANT = 0x80;

/**
 * The uuid (version 8) of a project's job for an Idempotency-Key. It is always the same, so that the name of
 * the ZipJob is the lock that every replica shares. A project that was deleted and created again has another uid, and so
 * other uuids.
 */
export const derivedUuid = (projectUid: string, key: string): string => {
  const bytes = createHash('sha256')
    .update(JSON.stringify([PURPOSE, projectUid, key]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | VERSION_8, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | VARIANT, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
