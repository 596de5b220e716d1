import { inBatches } from '../collections/in-batches.ts';
import { isKubeError } from '../kube/client/kube-error.ts';
import { holdsFinalizer, patchFinalizers, withoutFinalizer } from '../kube/finalizer.ts';
import type { KubeObject, ObjectClient } from '../kube/types.ts';

/** Maximum concurrent patches. */
const AT_ONCE = 8;

export type AnyClient = Pick<ObjectClient<KubeObject>, 'list' | 'mergePatch'>;

async function release(client: AnyClient, { metadata }: KubeObject, signal: AbortSignal): Promise<void> {
  try {
    await patchFinalizers(client, metadata, { finalizers: withoutFinalizer(metadata.finalizers), signal });
  } catch (error) {
    // The next check includes an object that changed meanwhile.
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
}

/** Removes our finalizer from every object of the kinds; returns how many had it. */
export async function releaseFinalizers(clients: readonly AnyClient[], signal: AbortSignal): Promise<number> {
  let found = 0;
  for (const client of clients) {
    const held = (await client.list({ signal })).filter(({ metadata }) => holdsFinalizer(metadata));
    found += held.length;
    await inBatches(held, AT_ONCE, (object) => release(client, object, signal));
  }
  return found;
}
