import { timingSafeEqual } from 'node:crypto';
import { hashToken } from '#crds/api-token.ts';
import type { ZipToken } from '#crds/zip-token.ts';

function equal(left: string, right: string): boolean {
  const a = Buffer.from(left, 'utf8');
  const b = Buffer.from(right, 'utf8');
  return a.length === b.length && timingSafeEqual(a, b);
}

/** True if the ZipToken contains the hash of the token for its namespace and is not being deleted. */
export function opens(zipToken: ZipToken, token: string): boolean {
  return (
    zipToken.metadata.deletionTimestamp === undefined &&
    equal(zipToken.spec.sha256, hashToken(zipToken.metadata.namespace, token))
  );
}

/** The first matching candidate. Every candidate is compared, so that the timing reveals nothing. */
export function findOpened(candidates: readonly ZipToken[], token: string): ZipToken | undefined {
  return candidates.filter((candidate) => opens(candidate, token))[0];
}
