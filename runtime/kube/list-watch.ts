import type { Clock } from '../clock.ts';
import { defined } from '../optional.ts';
import type { createIngest } from './ingest.ts';
import { versionOf } from './ingest.ts';
import { KubeError } from './kube-error.ts';
import { listPages } from './list-pages.ts';
import { isOlderVersion, type ObjectCache } from './object-cache.ts';
import type { ReflectorOptions, ReflectorSettings } from './reflector-options.ts';
import { collectionPath } from './resource-path.ts';
import { type KubeObject, objectKey } from './types.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

/** Lists older than what was seen are refused this often in a row; then it is believed that the cluster was restored. */
const MAX_OLD_LISTS = 5;
/** A watch that brought something or lasted this long was a healthy one: the next failure is the first. */
const HEALTHY_WATCH_MS = 5_000;

/** How far the API server's story was followed. */
export interface Progress {
  /** Version to watch from; undefined: list first. */
  resourceVersion: string | undefined;
  /**
   * Where the last watch that lasted began. The next one begins there too, so that every event is sent twice, over two
   * connections: one that was lost on its way is made up for within the time of a watch, at the price of what changed in it.
   */
  repeatFrom: string | undefined;
  /** The newest version ever seen. */
  newest: string | undefined;
  listReason: string;
  oldLists: number;
  /** In a row; decides the wait. */
  failures: number;
  lastBytesMs: number | undefined;
}

/** One reflector, taken apart. */
export interface Parts<T extends KubeObject> {
  readonly options: ReflectorOptions<T>;
  readonly settings: ReflectorSettings;
  readonly clock: Clock;
  readonly cache: ObjectCache<T>;
  readonly ingest: ReturnType<typeof createIngest<T>>;
  readonly progress: Progress;
}

const advance = (progress: Progress, version: string | undefined): void => {
  if (version === undefined) return;
  // What is repeated does not move the place back.
  if (isOlderVersion(version, progress.resourceVersion)) return;
  progress.resourceVersion = version;
  if (!isOlderVersion(version, progress.newest)) progress.newest = version;
};

/** A list served from a lagging or restored store would take everybody back in time. */
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

/** Lists everything and tells the difference from what the cache holds. */
export const listAll = async <T extends KubeObject>(parts: Parts<T>, signal: AbortSignal): Promise<void> => {
  const { options, settings, cache, ingest, progress } = parts;
  const { kube, definition, namespace, labelSelector, fieldSelector } = options;
  const objects = new Map<string, T>();
  let version = '';
  const query = {
    pageSize: settings.pageSize,
    signal,
    ...defined({ namespace, labelSelector, fieldSelector }),
  };
  for await (const page of listPages(kube, definition, query)) {
    progress.lastBytesMs = parts.clock.monotonicMs();
    version = page.resourceVersion;
    for (const item of page.items) {
      const object = ingest.listed(item, cache);
      if (object) objects.set(objectKey(object), object);
    }
  }
  refuseOldList(progress, version);
  options.metrics?.relisted(definition.kind, progress.listReason);
  advance(progress, version);
  progress.repeatFrom = version;
  ingest.tell(cache.replace(objects));
};

const receive = <T extends KubeObject>(parts: Parts<T>, event: WatchEvent): void => {
  const { options, cache, ingest, progress } = parts;
  if (event.type !== 'BOOKMARK') {
    options.metrics?.eventReceived(options.definition.kind);
    const object = ingest.decode(event.object);
    if (object) ingest.tell(event.type === 'DELETED' ? cache.delete(object) : cache.set(object));
  }
  advance(progress, versionOf(event.object));
  progress.failures = 0;
};

/** A watch that brought nothing in a moment proves nothing; what it should have repeated is asked for once more. */
const endWatch = <T extends KubeObject>(
  { clock, progress, cache }: Parts<T>,
  began: { readonly ms: number; readonly version: string | undefined },
): void => {
  if (clock.monotonicMs() - began.ms < HEALTHY_WATCH_MS) return;
  progress.failures = 0;
  if (began.version === undefined) return;
  progress.repeatFrom = began.version;
  cache.forgetDeleted(began.version);
};

/** Follows the changes from where the last list or watch ended, until the server ends this watch. */
export const watchOnce = async <T extends KubeObject>(
  parts: Parts<T>,
  signal: AbortSignal,
): Promise<void> => {
  const { options, settings, clock, progress } = parts;
  const startedMs = clock.monotonicMs();
  const path = collectionPath(options.definition, options.namespace);
  const began = { ms: startedMs, version: progress.resourceVersion };
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
    }
  } finally {
    endWatch(parts, began);
  }
  // Without a wait, a server that ends every watch at once would be asked as fast as it answers.
  if (events === 0 && clock.monotonicMs() - startedMs < HEALTHY_WATCH_MS)
    throw new KubeError(`watch ${path}: the server closed it immediately`, { code: 'ServerError' });
};
