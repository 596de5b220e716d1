import type { Namespace } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';

/** A terminating namespace never recovers under its UID, so only negative results expire. */
const KEPT_MS = { terminating: 30_000, active: 1_000 } as const;

export interface TerminatingNamespacesOptions {
  readonly namespaces: Pick<ObjectClient<Namespace>, 'get'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** True if the namespace is deleted or being deleted, so that nothing can be created in it. */
export type IsNamespaceTerminating = (namespace: string) => Promise<boolean>;

/** Queries the API server, only for objects that are being deleted; all objects of a namespace share one request. */
export function createIsNamespaceTerminating({
  namespaces,
  clock,
}: TerminatingNamespacesOptions): IsNamespaceTerminating {
  const known = new Map<string, { readonly response: Promise<boolean>; until: number }>();

  function forgetOld(): void {
    for (const [name, { until }] of known) if (until < clock.monotonicMs()) known.delete(name);
  }
  async function ask(name: string): Promise<boolean> {
    const namespace = await namespaces.get('', name);
    return namespace?.metadata.deletionTimestamp !== undefined || namespace === undefined;
  }

  return (name) => {
    forgetOld();
    const before = known.get(name);
    if (before) return before.response;
    const entry = { response: ask(name), until: Infinity };
    known.set(name, entry);
    entry.response.then(
      (isTerminating) => {
        entry.until = clock.monotonicMs() + (isTerminating ? KEPT_MS.terminating : KEPT_MS.active);
      },
      () => known.delete(name),
    );
    return entry.response;
  };
}
