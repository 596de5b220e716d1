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

/**
 * A watch that lasted for a smaller part of the time that it asked for was cut short. A complete one never lasts less than that
 * time, because our clock starts before the server's: the rest is for clocks of different speed.
 */
const COMPLETE_PART = 0.9;

/**
 * Why the server ended a watch. It ends one early if its buffer for this watch is full, because events arrive faster than they are
 * read, or if it stops.
 */
export const endReason = (
  { timeoutSeconds }: Pick<WatchRange, 'timeoutSeconds'>,
  lastedMs: number,
): 'ended' | 'cut short' => (lastedMs < timeoutSeconds * 1000 * COMPLETE_PART ? 'cut short' : 'ended');

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
