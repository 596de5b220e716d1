import type { IncomingList } from '../cache/object-cache.ts';
import { isRecord } from '../client/decode.ts';
import { isKubeError } from '../client/kube-error.ts';
import { collectionPath } from '../client/resource-path.ts';
import type { KubeObject } from '../types.ts';
import { metadataOf, versionOf } from './ingest.ts';
import type { Parts } from './reflector-parts.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

/** Annotation of the bookmark that follows the last object of the list (KEP-3157). */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

function isEnd({ type, object }: WatchEvent): boolean {
  const { annotations } = metadataOf(object);
  return type === 'BOOKMARK' && isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true';
}

function openList<T extends KubeObject>(
  { options, settings, clock, progress }: Parts<T>,
  signal: AbortSignal,
): AsyncIterable<WatchEvent> {
  return watchEvents({
    kube: options.kube,
    path: collectionPath(options.definition, options.namespace),
    query: {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
      timeoutSeconds: Math.ceil(settings.watchListLimitMs / 1000),
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    },
    signal,
    clock,
    silenceLimitMs: settings.watchListSilenceMs,
    onBytes: () => {
      progress.lastBytesMs = clock.monotonicMs();
    },
  });
}

async function receive<T extends KubeObject>(
  parts: Parts<T>,
  list: IncomingList<T>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { ingest, clock, settings } = parts;
  const endMs = clock.monotonicMs() + settings.watchListLimitMs;
  for await (const event of openList(parts, signal)) {
    if (isEnd(event)) return versionOf(event.object);
    if (clock.monotonicMs() > endMs) return undefined;
    // A server that ignores the parameter may send bookmarks of its own.
    if (event.type === 'BOOKMARK') continue;
    if (event.type === 'DELETED') ingest.unlisted(event.object, list);
    else ingest.listed(event.object, list);
  }
  return undefined;
}

/**
 * Receives all objects as the initial events of a watch, one at a time, so that neither the API server nor this process
 * holds pages of them. Returns their resourceVersion. Undefined if the server did not send the end of the list: it may
 * not support this, and pages must be requested.
 */
export async function receiveByWatch<T extends KubeObject>(
  parts: Parts<T>,
  list: IncomingList<T>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { options, settings, progress } = parts;
  const { kind } = options.definition;
  if (!settings.watchList || progress.needsPages) return undefined;
  let reason = 'the API server did not send the end of the list';
  try {
    const version = await receive(parts, list, signal);
    if (version !== undefined) return version;
  } catch (error) {
    // Invalid: the feature gate WatchList is off. BadRequest: the server does not know the parameters.
    progress.needsPages = isKubeError(error, 'Invalid', 'BadRequest');
    if (!progress.needsPages && !isKubeError(error, 'Timeout')) throw error;
    reason = isKubeError(error) ? error.message : reason;
  }
  options.log.info({ kind, reason }, 'list as a watch is not possible, requesting pages');
  return undefined;
}
