import { GROUP_VERSION } from './api-group.ts';

/** The part of Kubernetes' ObjectMeta that this project reads and writes. Times are RFC 3339 strings, as on the wire. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/**
 * The uid of an object that the API server has stored.
 * @throws Error for an object that was never read, such as a manifest: an empty uid would match or own others
 */
export function uidOf({ metadata: { namespace, name, uid } }: { readonly metadata: ObjectMeta }): string {
  if (uid !== undefined) return uid;
  throw new Error(`${namespace}/${name} has no uid: the API server has not stored this object`);
}

/** For an object that Kubernetes deletes with ours. @throws Error if ours was never stored */
export function ownerReferenceOf(
  owner: { readonly metadata: ObjectMeta },
  kind: 'ZipJob' | 'ZipBucket' | 'ZipProject',
): OwnerReference {
  return { apiVersion: GROUP_VERSION, kind, name: owner.metadata.name, uid: uidOf(owner) };
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}
