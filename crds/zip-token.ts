import type { GROUP_VERSION } from './api-group.ts';
import type { ObjectMeta } from './object-meta.ts';

export const PERMISSIONS = ['create', 'read'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** An API token's fingerprint; the token itself is stored nowhere. Immutable; deleting it revokes. */
export interface ZipToken {
  readonly apiVersion: typeof GROUP_VERSION;
  readonly kind: 'ZipToken';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly displayName?: string;
    /** SHA-256 (hex) of `<namespace>/<token>`: a hash copied to another namespace opens nothing there. */
    readonly sha256: string;
    /** First and last four characters of the token, joined by `...`. */
    readonly masked: string;
    readonly permissions: readonly Permission[];
    readonly createdBy?: string;
  };
  readonly status?: { readonly lastUsedAt?: string };
}
