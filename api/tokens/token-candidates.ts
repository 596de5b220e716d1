import { timingSafeEqual } from 'node:crypto';
import { hashToken, maskToken } from '#crds/api-token.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { clusterIndex } from '#runtime/kube/types.ts';

/** Name and values of the index that finds the candidates for a token, which does not say its namespace. */
export const MASK_INDEX = clusterIndex('mask');
export const maskIndex = (token: ZipToken): readonly string[] => [token.spec.masked];

const equal = (left: string, right: string): boolean => {
  const a = Buffer.from(left, 'utf8');
  const b = Buffer.from(right, 'utf8');
  return a.length === b.length && timingSafeEqual(a, b);
};

/** True if the ZipToken contains the hash of the token for its namespace and is not being deleted. */
export const opens = (zipToken: ZipToken, token: string): boolean =>
  zipToken.metadata.deletionTimestamp === undefined &&
  equal(zipToken.spec.sha256, hashToken(zipToken.metadata.namespace, token));

/** The first matching candidate. Every candidate is compared, so that the timing reveals nothing. */
export const findOpened = (candidates: readonly ZipToken[], token: string): ZipToken | undefined =>
  candidates.filter((candidate) => opens(candidate, token))[0];

/** The value of the index for a token. */
export const candidateKey = (token: string): string => maskToken(token);
