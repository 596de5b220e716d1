import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

interface Versioned {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
}

export interface Followed<T> extends Disposable {
  /** Set when the watch ended early: then events are missing. */
  readonly failure: unknown;
  readonly events: readonly { readonly type: string; readonly object: T }[];
}

/** Records every event of a collection from now on. */
export async function followObjects<T extends Versioned, K>(
  api: KubeApi,
  path: string,
  keep: (object: T) => K,
): Promise<Followed<K>> {
  const ended = new AbortController();
  const events: { type: string; object: K }[] = [];
  const state: { failure: unknown } = { failure: undefined };
  const { metadata } = await api.get<{ metadata: { resourceVersion?: string } }>(
    `${path}${path.includes('?') ? '&' : '?'}limit=1`,
  );
  let version = metadata.resourceVersion ?? '';
  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      for await (const { type, object } of api.watch<T>(path, version, ended.signal)) {
        if (type === 'ERROR') throw new Error(`the watch of ${path} ended: ${JSON.stringify(object)}`);
        version = object.metadata.resourceVersion ?? version;
        if (type !== 'BOOKMARK') events.push({ type, object: keep(object) });
      }
    }
  }
  run().catch((error: unknown) => {
    if (!ended.signal.aborted) state.failure = error;
  });
  return {
    get failure() {
      return state.failure;
    },
    events,
    [Symbol.dispose]: () => ended.abort(),
  };
}
