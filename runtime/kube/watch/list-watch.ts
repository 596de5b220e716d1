import { type IncomingList, isOlderVersion } from '../cache/object-cache.ts';
import { KubeError } from '../client/kube-error.ts';
import { listPages } from '../client/list-pages.ts';
import { collectionPath } from '../client/resource-path.ts';
import type { KubeObject } from '../types.ts';
import { versionOf } from './ingest.ts';
import { applyEvent, endReason, openWatch } from './open-watch.ts';
import { type Parts, type Progress, queryOf } from './reflector-parts.ts';
import { receiveByWatch } from './watch-list.ts';

/** After this many old lists in a row, assume that the cluster was restored from a backup and accept the list. */
const MAX_OLD_LISTS = 5;
/** A watch that delivered an event or lasted this long was healthy, so the next failure counts as the first. */
const HEALTHY_WATCH_MS = 5_000;

function advance(progress: Progress, version: string | undefined): void {
  if (version === undefined) return;
  // A bookmark of a restored server does not move the position back.
  if (isOlderVersion(version, progress.resourceVersion)) return;
  progress.resourceVersion = version;
  if (!isOlderVersion(version, progress.newest)) progress.newest = version;
}

/** A list from a lagging or restored store would revert the cache to an older state. */
function refuseOldList(progress: Progress, version: string): void {
  if (!isOlderVersion(version, progress.newest)) {
    progress.oldLists = 0;
    return;
  }
  progress.oldLists += 1;
  progress.isRestored = true;
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
}

function receiveList<T extends KubeObject>({ cache, progress }: Parts<T>): IncomingList<T> {
  return cache.receiveList({ trustsVersions: !progress.isRestored });
}

async function receivePages<T extends KubeObject>(
  parts: Parts<T>,
  list: IncomingList<T>,
  signal: AbortSignal,
): Promise<string> {
  const { options, ingest, progress } = parts;
  let version = '';
  for await (const page of listPages(options.kube, options.definition, queryOf(parts, signal))) {
    progress.lastBytesMs = parts.clock.monotonicMs();
    version = page.resourceVersion;
    for (const item of page.items) ingest.listed(item, list);
  }
  return version;
}

async function receiveAll<T extends KubeObject>(parts: Parts<T>, signal: AbortSignal): Promise<void> {
  const { options, ingest, progress } = parts;
  let list = receiveList(parts);
  let version = await receiveByWatch(parts, list, signal);
  if (version === undefined) {
    list = receiveList(parts);
    version = await receivePages(parts, list, signal);
  }
  refuseOldList(progress, version);
  options.metrics?.relisted(options.definition.kind, progress.listReason);
  advance(progress, version);
  progress.isRestored = false;
  progress.mustVerify = false;
  list.publish((change) => {
    ingest.report(change);
  });
}

/** Lists all objects, as a watch if possible, and reports the differences from the cache. */
export function listAll<T extends KubeObject>(parts: Parts<T>, signal: AbortSignal): Promise<void> {
  return parts.turn.take(() => receiveAll(parts, signal));
}

/** A watch sends versions in order, so an older one is of a server that was restored. */
function refuseOldEvent<T extends KubeObject>(
  { options, progress }: Parts<T>,
  version: string | undefined,
): void {
  if (!isOlderVersion(version, progress.resourceVersion)) return;
  const path = collectionPath(options.definition, options.namespace);
  throw new KubeError(
    `an event has version ${version}, which is older than version ${progress.resourceVersion} of an earlier one`,
    { attempt: `watch ${path}`, code: 'ServerError' },
  );
}

/** Watches for changes since the last list or watch, until the server ends the watch. */
export async function watchOnce<T extends KubeObject>(parts: Parts<T>, signal: AbortSignal): Promise<void> {
  const { options, settings, clock, cache, progress, turn } = parts;
  // Only the objects of a list or a comparison that runs may be older.
  if (progress.resourceVersion !== undefined && !turn.isTaken) cache.forgetDeleted(progress.resourceVersion);
  const startedMs = clock.monotonicMs();
  function lastedMs(): number {
    return clock.monotonicMs() - startedMs;
  }
  function isShort(): boolean {
    return lastedMs() < HEALTHY_WATCH_MS;
  }
  let events = 0;
  const range = {
    from: progress.resourceVersion,
    timeoutSeconds: Math.ceil(settings.watchTimeoutSeconds * (1 + Math.random() / 3)),
    onOpen: () => {
      progress.isInterrupted = false;
    },
    onBytes: () => {
      progress.lastBytesMs = clock.monotonicMs();
    },
  };
  try {
    for await (const event of openWatch(parts, range, signal)) {
      events += 1;
      const version = versionOf(event.object);
      refuseOldEvent(parts, version);
      applyEvent(parts, event);
      advance(progress, version);
      progress.failures = 0;
    }
  } finally {
    if (!isShort()) progress.failures = 0;
  }
  // Without a wait, a server that ends every watch immediately would receive requests in a tight loop.
  if (events === 0 && isShort()) {
    const path = collectionPath(options.definition, options.namespace);
    throw new KubeError('the server closed it immediately', {
      attempt: `watch ${path}`,
      code: 'ServerError',
    });
  }
  const reason = endReason(range, lastedMs());
  progress.mustVerify = reason === 'cut short';
  options.metrics?.watchEnded(options.definition.kind, reason);
}
