import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi } from '../kube-api.ts';
import type { Pod, PodList } from './pod-types.ts';

export interface PodHandlers {
  readonly onPod: (pod: Pod) => void;
  readonly onGone: (uid: string) => void;
  /** After each list: the uids of all pods that the node has. */
  readonly onList: (uids: ReadonlySet<string>) => void;
}

interface Status {
  readonly code?: number;
}

const RETRY_MS = 250;

/** Follows the pods bound to a node until the signal; lists again when the watch cannot go on. */
export async function watchPods(
  api: KubeApi,
  nodeName: string,
  at: { readonly handlers: PodHandlers; readonly signal: AbortSignal },
): Promise<void> {
  const path = `/api/v1/pods?fieldSelector=spec.nodeName%3D${nodeName}`;
  while (!at.signal.aborted) {
    try {
      await listAndFollow(api, path, at);
    } catch {
      // The API server may be starting, or a test may have cut the connection: both pass.
      await delay(RETRY_MS, undefined, { signal: at.signal }).catch(() => undefined);
    }
  }
}

async function listAndFollow(
  api: KubeApi,
  path: string,
  { handlers, signal }: { readonly handlers: PodHandlers; readonly signal: AbortSignal },
): Promise<void> {
  const list = await api.get<PodList>(path, signal);
  handlers.onList(new Set(list.items.map(({ metadata }) => metadata.uid)));
  for (const pod of list.items) handlers.onPod(pod);
  let { resourceVersion } = list.metadata;
  // Each turn is one watch that the server ended in its own time.
  while (!signal.aborted) {
    for await (const event of api.watch<Pod & Status>(path, resourceVersion, signal)) {
      if (event.type === 'ERROR') throw new Error(`watch ended with ${event.object.code}`);
      resourceVersion = event.object.metadata.resourceVersion;
      if (event.type === 'DELETED') handlers.onGone(event.object.metadata.uid);
      else if (event.type !== 'BOOKMARK') handlers.onPod(event.object);
    }
  }
}
