import { collectionPath } from '../client/resource-path.ts';
import type { Change, KubeObject } from '../types.ts';
import { identityOf } from './ingest.ts';
import type { Parts } from './reflector-parts.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

export interface WatchRange {
  /** Version after which the events start. */
  readonly from: string | undefined;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
  readonly onOpen?: () => void;
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
export function endReason(
  { timeoutSeconds }: Pick<WatchRange, 'timeoutSeconds'>,
  lastedMs: number,
): 'ended' | 'cut short' {
  return lastedMs < timeoutSeconds * 1000 * COMPLETE_PART ? 'cut short' : 'ended';
}

/** The events of the reflector's collection. */
export function openWatch<T extends KubeObject>(
  { options, settings, clock }: Parts<T>,
  { from, timeoutSeconds, onOpen, onBytes }: WatchRange,
  signal: AbortSignal,
): AsyncIterable<WatchEvent> {
  return watchEvents({
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
    onOpen,
    onBytes,
  });
}

function changesOf<T extends KubeObject>(
  { cache, ingest }: Parts<T>,
  { type, object }: WatchEvent,
): readonly Change<T>[] {
  if (type === 'DELETED') return cache.delete(identityOf(object));
  const kept = ingest.decode(object);
  if (kept === 'invalid') return [];
  return kept ? cache.set(kept) : cache.leaveOut(identityOf(object));
}

/** Updates the cache, and reports what changed. */
export function applyEvent<T extends KubeObject>(parts: Parts<T>, event: WatchEvent): void {
  const { options } = parts;
  if (event.type === 'BOOKMARK') return;
  options.metrics?.eventReceived(options.definition.kind);
  for (const change of changesOf(parts, event)) parts.ingest.report(change);
}
