import type { ObjectMeta } from '#crds/object-meta.ts';

/**
 * A type of the Kubernetes client as it stands on the wire: JSON has no dates, and nothing that was read is changed in
 * place.
 */
type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer E)[]
    ? readonly Wire<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;

/** A built-in kind on the wire, with the metadata that this project reads. */
export type WireObject<T extends { metadata?: unknown }> = Omit<
  Wire<T>,
  'metadata' | 'kind' | 'apiVersion'
> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
};
