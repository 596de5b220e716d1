import type { ObjectMeta } from '#crds/object-meta.ts';

/** A type of the Kubernetes client as JSON: dates are strings, and all fields are readonly. */
type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer E)[]
    ? readonly Wire<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;

/** A built-in kind as JSON, with the metadata that this project reads. */
export type WireObject<T extends { metadata?: unknown }> = Omit<
  Wire<T>,
  'metadata' | 'kind' | 'apiVersion'
> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
};
