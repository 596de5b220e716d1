import type { Clock } from '#runtime/clock.ts';
import type { Namespace } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';

/** A namespace that goes never comes back under its uid; one that stays is asked about again soon. */
const KEPT_MS = { going: 30_000, staying: 1_000 } as const;

export interface TerminatingNamespacesOptions {
  readonly namespaces: Pick<ObjectClient<Namespace>, 'get'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Is the namespace being deleted, or gone? Nothing can be created there any more. */
export type IsNamespaceTerminating = (namespace: string) => Promise<boolean>;

/** Asks the API server, which is done for objects that are being deleted only; one question serves all objects of a namespace. */
export const createIsNamespaceTerminating = ({
  namespaces,
  clock,
}: TerminatingNamespacesOptions): IsNamespaceTerminating => {
  const known = new Map<string, { readonly answer: Promise<boolean>; until: number }>();

  const forgetOld = (): void => {
    for (const [name, { until }] of known) if (until < clock.monotonicMs()) known.delete(name);
  };
  const ask = async (name: string): Promise<boolean> => {
    const namespace = await namespaces.get('', name);
    return namespace?.metadata.deletionTimestamp !== undefined || namespace === undefined;
  };

  return (name) => {
    forgetOld();
    const before = known.get(name);
    if (before) return before.answer;
    const entry = { answer: ask(name), until: Infinity };
    known.set(name, entry);
    entry.answer.then(
      (isGoing) => {
        entry.until = clock.monotonicMs() + (isGoing ? KEPT_MS.going : KEPT_MS.staying);
      },
      () => known.delete(name),
    );
    return entry.answer;
  };
};
