import { namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';

export interface TestPlacesOptions {
  readonly inAll: number;
  readonly perProject: number;
}

/** Limits how many bucket tests run at the same time. Their pods take no slot of the ledger, and users with `edit` start them. */
export interface TestPlaces {
  /** Takes the place of a bucket for its test, unless it has one. False if there is none. */
  take(bucket: ObjectKey): boolean;
  /** Keeps the place of a bucket whose test runs already, also above a limit. */
  keep(bucket: ObjectKey): void;
  /** Gives up the place of a bucket without a test, or that does not exist. */
  release(bucket: ObjectKey): void;
}

export function createTestPlaces({ inAll, perProject }: TestPlacesOptions): TestPlaces {
  const taken = new Set<ObjectKey>();
  function ofProject(namespace: string): number {
    return [...taken].filter((bucket) => namespaceOf(bucket) === namespace).length;
  }
  return {
    take: (bucket) => {
      if (taken.has(bucket)) return true;
      if (taken.size >= inAll || ofProject(namespaceOf(bucket)) >= perProject) return false;
      taken.add(bucket);
      return true;
    },
    keep: (bucket) => {
      taken.add(bucket);
    },
    release: (bucket) => {
      taken.delete(bucket);
    },
  };
}
