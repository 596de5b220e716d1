import { defined } from '../optional.ts';
import { versionOf } from './ingest.ts';
import { KubeError } from './kube-error.ts';
import { listPages } from './list-pages.ts';
import { type IncomingList, isOlderVersion } from './object-cache.ts';
import type { Parts, Progress } from './reflector-parts.ts';
import { collectionPath } from './resource-path.ts';
import type { KubeObject } from './types.ts';
import { receiveByWatch } from './watch-list.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

/** After this many old lists in a row, assume that the cluster was restored from a backup and accept the list. */
const MAX_OLD_LISTS = 5;
/** A watch that delivered an event or lasted this long was healthy, so the next failure counts as the first. */
const HEALTHY_WATCH_MS = 5_000;

const advance = (progress: Progress, version: string | undefined): void => {
  if (version === undefined) return;
  // Repeated events do not move the position back.
  if (isOlderVersion(version, progress.resourceVersion)) return;
  progress.resourceVersion = version;
  if (!isOlderVersion(version, progress.newest)) progress.newest = version;
};

/** A list from a lagging or restored store would revert the cache to an older state. */
const refuseOldList = (progress: Progress, version: string): void => {
  if (!isOlderVersion(version, progress.newest)) {
    progress.oldLists = 0;
    return;
  }
  progress.oldLists += 1;
  if (progress.oldLists < MAX_OLD_LISTS) {
    throw new KubeError(
      `the list has version ${version}, which is older than version ${progress.newest} of an earlier response`,
      {
        code: 'ServerError',
      },
    );
  }
  progress.oldLists = 0;
  progress.newest = version;
};

const receivePages = async <T extends KubeObject>(
  parts: Parts<T>,
  list: IncomingList<T>,
  signal: AbortSignal,
): Promise<string> => {
  const { options, settings, ingest, progress } = parts;
  const { kube, definition, namespace, labelSelector, fieldSelector } = options;
  let version = '';
  const query = {
    pageSize: settings.pageSize,
    signal,
    ...defined({ namespace, labelSelector, fieldSelector }),
  };
  for await (const page of listPages(kube, definition, query)) {
    progress.lastBytesMs = parts.clock.monotonicMs();
    version = page.resourceVersion;
    for (const item of page.items) ingest.listed(item, list);
  }
  return version;
};

/** Lists all objects, as a watch if possible, and reports the differences from the cache. */
export const listAll = async <T extends KubeObject>(parts: Parts<T>, signal: AbortSignal): Promise<void> => {
  const { options, cache, ingest, progress } = parts;
  let list = cache.receiveList();
  let version = await receiveByWatch(parts, list, signal);
  if (version === undefined) {
    list = cache.receiveList();
    version = await receivePages(parts, list, signal);
  }
  refuseOldList(progress, version);
  options.metrics?.relisted(options.definition.kind, progress.listReason);
  advance(progress, version);
  progress.repeatFrom = version;
  list.publish((change) => {
    ingest.report(change);
  });
};

const receive = <T extends KubeObject>(parts: Parts<T>, event: WatchEvent): void => {
  const { options, cache, ingest, progress } = parts;
  if (event.type !== 'BOOKMARK') {
    options.metrics?.eventReceived(options.definition.kind);
    const object = ingest.decode(event.object);
    const changes = object && (event.type === 'DELETED' ? cache.delete(object) : cache.set(object));
    for (const change of changes ?? []) ingest.report(change);
  }
  advance(progress, versionOf(event.object));
  progress.failures = 0;
};

interface WatchRange {
  readonly ms: number;
  /** The newest version that was known at its start. */
  readonly version: string | undefined;
  /** The version of the last event that this watch received. */
  readonly position: string | undefined;
}

/**
 * The next watch continues a repetition that ended early. The API server ends a watch that is slower than new events, and would
 * end each repetition that starts again from the same version, so that nothing new ever arrived.
 */
const continueRepetition = (progress: Progress, { version, position }: WatchRange): void => {
  if (position === undefined || !isOlderVersion(progress.repeatFrom, version)) return;
  const reached = isOlderVersion(version, position) ? version : position;
  if (isOlderVersion(progress.repeatFrom, reached)) progress.repeatFrom = reached;
};

/** A watch that ended early may have skipped events, so the next one repeats those that it received for the first time. */
const endWatch = <T extends KubeObject>({ clock, progress, cache }: Parts<T>, start: WatchRange): void => {
  if (clock.monotonicMs() - start.ms < HEALTHY_WATCH_MS) {
    continueRepetition(progress, start);
    return;
  }
  progress.failures = 0;
  if (start.version === undefined) return;
  progress.repeatFrom = start.version;
  cache.forgetDeleted(start.version);
};

/** Watches for changes since the last list or watch, until the server ends the watch. */
export const watchOnce = async <T extends KubeObject>(
  parts: Parts<T>,
  signal: AbortSignal,
): Promise<void> => {
  const { options, settings, clock, progress } = parts;
  const startedMs = clock.monotonicMs();
  const path = collectionPath(options.definition, options.namespace);
  const { resourceVersion: version } = progress;
  let position: string | undefined;
  let events = 0;
  try {
    const watch = watchEvents({
      kube: options.kube,
      path,
      query: {
        resourceVersion: progress.repeatFrom ?? progress.resourceVersion,
        allowWatchBookmarks: true,
        timeoutSeconds: Math.ceil(settings.watchTimeoutSeconds * (1 + Math.random() / 3)),
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
      },
      signal,
      clock,
      silenceLimitMs: settings.silenceLimitMs,
      onBytes: () => {
        progress.lastBytesMs = clock.monotonicMs();
      },
    });
    for await (const event of watch) {
      events += 1;
      receive(parts, event);
      position = versionOf(event.object) ?? position;
    }
  } finally {
    endWatch(parts, { ms: startedMs, version, position });
  }
  // Without a wait, a server that ends every watch immediately would receive requests in a tight loop.
  if (events === 0 && clock.monotonicMs() - startedMs < HEALTHY_WATCH_MS)
    throw new KubeError(`watch ${path}: the server closed it immediately`, { code: 'ServerError' });
};
