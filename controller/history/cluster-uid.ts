import type { Namespace } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { retry } from '#runtime/retry.ts';

/** Nobody can delete or rename it. */
const NAMESPACE = 'kube-system';
const POLICY = { attempts: Infinity, baseDelayMs: 1_000, maxDelayMs: 30_000 };

/**
 * Identifies the cluster in a history that several share: the uid of the namespace kube-system, as other tools use it. Asks until
 * the API server responds, or the signal aborts, which throws its reason.
 */
export function readClusterUid(
  namespaces: Pick<ObjectClient<Namespace>, 'get'>,
  signal: AbortSignal,
): Promise<string> {
  return retry(
    async () => {
      const uid = (await namespaces.get('', NAMESPACE, signal))?.metadata.uid;
      if (uid === undefined) throw new Error(`the namespace ${NAMESPACE} has no uid`);
      return uid;
    },
    { ...POLICY, isRetryable: () => true },
    signal,
  );
}
