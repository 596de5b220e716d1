import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi } from '../kube-api.ts';
import type { Pod, PodList } from './pod-types.ts';

export interface PodHandlers {
  readonly onPod: (pod: Pod) => void;
  readonly onGone: (uid: string) => void;
  /** Called after each list with the UIDs of all pods of the node. */
  readonly onList: (uids: ReadonlySet<string>) => void;
}

interface Status {
  readonly code?: number;
}

const RETRY_MS = 250;

/** Watches the pods of a node until the signal aborts, and lists again when the watch cannot continue. */
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
      // The API server may be starting, or a test may have cut the connection. Both are temporary.
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
  // Each iteration is one watch, until the server ends it.
  while (!signal.aborted) {
    for await (const event of api.watch<Pod & Status>(path, resourceVersion, signal)) {
      if (event.type === 'ERROR') throw new Error(`watch ended with ${event.object.code}`);
      resourceVersion = event.object.metadata.resourceVersion;
      if (event.type === 'DELETED') handlers.onGone(event.object.metadata.uid);
      else if (event.type !== 'BOOKMARK') handlers.onPod(event.object);
    }
  }
}
