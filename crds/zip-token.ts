import type { GROUP_VERSION } from './api-group.ts';
import type { Condition } from './conditions.ts';
import type { ObjectMeta } from './object-meta.ts';

export const PERMISSIONS = ['create', 'read'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Of each project, the API accepts this many tokens: the oldest. */
export const TOKEN_LIMIT = 500;
/** Tokens with the same mask that the API accepts, of a project and in all: each is hashed for a request. Chance gives none twice. */
export const MASK_LIMIT_OF_PROJECT = 4;
export const MASK_LIMIT = 16;

/**
 * Longest time in milliseconds that an API process may accept a token without verifying it with the API server. A revocation
 * waits for it, so that no process accepts the token afterwards.
 */
export const MAX_TOKEN_FRESH_MS = 1_000;

/** The hash of an API token. The token itself is not stored. Immutable; deleting it revokes the token. */
export interface ZipToken {
  readonly apiVersion: typeof GROUP_VERSION;
  readonly kind: 'ZipToken';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly displayName?: string;
    /** SHA-256 (hex) of `<namespace>/<token>`. A hash copied to another namespace is not valid there. */
    readonly sha256: string;
    /** First and last four characters of the token, joined by `...`. */
    readonly masked: string;
    readonly permissions: readonly Permission[];
    readonly createdBy?: string;
  };
  readonly status?: {
    readonly lastUsedAt?: string;
    /** Accepted is False for a token that exceeds a limit. */
    readonly conditions?: readonly Condition[];
  };
}
