import type { Parts } from './reflector-parts.ts';
import { collectionPath } from './resource-path.ts';
import type { KubeObject } from './types.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

export interface WatchRange {
  /** Version after which the events start. */
  readonly from: string | undefined;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
  readonly onBytes: () => void;
}

/** The events of the reflector's collection. */
export const openWatch = <T extends KubeObject>(
  { options, settings, clock }: Parts<T>,
  { from, timeoutSeconds, onBytes }: WatchRange,
  signal: AbortSignal,
): AsyncIterable<WatchEvent> =>
  watchEvents({
    kube: options.kube,
    path: collectionPath(options.definition, options.namespace),
    query: {
      resourceVersion: from,
      allowWatchBookmarks: true,
      timeoutSeconds,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    },
    signal,
    clock,
    silenceLimitMs: settings.silenceLimitMs,
    onBytes,
  });

/** Updates the cache, and reports what changed. */
export const applyEvent = <T extends KubeObject>(
  { options, cache, ingest }: Parts<T>,
  event: WatchEvent,
): void => {
  if (event.type === 'BOOKMARK') return;
  options.metrics?.eventReceived(options.definition.kind);
  const object = ingest.decode(event.object);
  const changes = object && (event.type === 'DELETED' ? cache.delete(object) : cache.set(object));
  for (const change of changes ?? []) ingest.report(change);
};
