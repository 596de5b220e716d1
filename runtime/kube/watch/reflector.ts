import { toError } from '../../errors.ts';
import { pause, systemClock } from '../../time/clock.ts';
import { backoffMs } from '../../time/retry.ts';
import { createObjectCache, isOlderVersion, type ObjectCache } from '../cache/object-cache.ts';
import { KubeError } from '../client/kube-error.ts';
import { listPages } from '../client/list-pages.ts';
import type { KubeObject, Reflector } from '../types.ts';
import { compareNames } from './compare-names.ts';
import { createIngest } from './ingest.ts';
import { listAll, watchOnce } from './list-watch.ts';
import { createRefills } from './refills.ts';
import { REFLECTOR_DEFAULTS, type ReflectorOptions, type ReflectorSettings } from './reflector-options.ts';
import { type Parts, type Progress, queryOf } from './reflector-parts.ts';
import { Turn } from './turn.ts';

/*
 * How a cache follows the API server, and what moves it on. `stateOf` reads the state from `Progress`, `follow` runs its step:
 *
 *     listing ── all objects are received ──> watching ── the server ended the watch after the time asked for ──> watching
 *      ^  ^                                      │  │
 *      │  └── 410 Gone, or a retry cannot help ──┘  └── it ended earlier, or failed, or a comparison found an older server
 *      │                                                                         │
 *      │                                                                         v
 *      └── the server knows less than before: etcd was restored ──────────── verifying ── it knows as much ──> watching
 *
 * - listing: as a watch if the server can (watch-list.ts), else in pages. The cache changes at the end, all at once.
 * - watching: events in order of their versions, for half a minute; bookmarks keep the version fresh without events.
 * - verifying: asks for the newest version, because a watch from a version of the future stays silent until the server reaches it.
 *
 * A failure leads to a pause first (`recover`), longer after each one in a row. Beside this, for what no event repairs: `refills`
 * reads namespaces again that did not fit into the cache, and `compareNames` finds changes whose events never arrived. Both take
 * turns with a list (`Turn`), and versions decide which of two objects is newer, so their order does not matter.
 */

/** The newest version of the collection. Only one object is requested. */
async function newestVersion<T extends KubeObject>(
  parts: Parts<T>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { kube, definition } = parts.options;
  const query = { ...queryOf(parts, signal), pageSize: 1 };
  for await (const { resourceVersion } of listPages(kube, definition, query)) return resourceVersion;
  return undefined;
}

/**
 * Makes the reflector list again if the server knows less than before, because etcd was restored from a snapshot. A watch from a
 * version of the future stays silent until the server reaches it: deleted objects would remain, and new ones would be invisible.
 * @throws KubeError
 */
async function verifyVersion<T extends KubeObject>(parts: Parts<T>, signal: AbortSignal): Promise<void> {
  const { options, progress } = parts;
  const version = await newestVersion(parts, signal);
  progress.mustVerify = false;
  if (!isOlderVersion(version, progress.newest)) return;
  const facts = { kind: options.definition.kind, version, before: progress.newest };
  options.log.warn(facts, 'the API server knows an older version than before: listing again');
  progress.resourceVersion = undefined;
  progress.newest = version;
  progress.isRestored = true;
  progress.listReason = 'Restored';
}

type State = 'listing' | 'verifying' | 'watching';

function stateOf({ resourceVersion, mustVerify }: Progress): State {
  if (resourceVersion === undefined) return 'listing';
  return mustVerify ? 'verifying' : 'watching';
}

/** Upper limit for Retry-After, so that a wrong header does not stop updates for hours. */
const MAX_RETRY_AFTER_MS = 60_000;
/** The longer of our own backoff and the server's Retry-After. */
function waitMs(error: KubeError | undefined, failures: number, settings: ReflectorSettings): number {
  const backoff = { baseDelayMs: settings.minBackoffMs, maxDelayMs: settings.maxBackoffMs };
  return Math.max(backoffMs(backoff, failures), Math.min(error?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

function watchFailed<T extends KubeObject>(parts: Parts<T>, error: KubeError | undefined): void {
  const { options, progress } = parts;
  const reason = error?.code ?? 'Unknown';
  options.metrics?.watchEnded(options.definition.kind, reason);
  // Gone, or an error that a retry cannot fix: start with a list.
  if (error?.code !== 'Gone' && error?.retryable === true) return;
  progress.resourceVersion = undefined;
  progress.listReason = reason;
}

async function recover<T extends KubeObject>(
  parts: Parts<T>,
  thrown: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { options, progress, settings } = parts;
  const { kind } = options.definition;
  if (signal.aborted) return;
  const error = thrown instanceof KubeError ? thrown : undefined;
  progress.failures += 1;
  progress.isInterrupted = true;
  if (progress.resourceVersion !== undefined) {
    progress.mustVerify = true;
    watchFailed(parts, error);
  }
  const delayMs = waitMs(error, progress.failures, settings);
  const facts = { err: toError(thrown), kind, failures: progress.failures, delayMs: Math.round(delayMs) };
  if (progress.failures < 3) options.log.info(facts, 'watch interrupted');
  else options.log.warn(facts, 'watch keeps failing, retrying');
  await pause(parts.clock, delayMs, signal);
}

/** Resolves with the promise. Rejects if the signal aborts first. */
async function orAborted(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return done;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  function onAbort(this: AbortSignal): void {
    aborted.reject(toError(this.reason));
  }
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([done, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves when these caches have their first lists, or the signal aborts. */
async function haveSynced(
  caches: ReflectorOptions<KubeObject>['after'] = [],
  signal: AbortSignal,
): Promise<void> {
  await Promise.allSettled(caches.map((cache) => cache.synced(signal)));
}

function partsOf<T extends KubeObject>(options: ReflectorOptions<T>, cache: ObjectCache<T>): Parts<T> {
  return {
    options,
    settings: { ...REFLECTOR_DEFAULTS, ...options.settings },
    clock: options.clock ?? systemClock,
    cache,
    ingest: createIngest(options),
    progress: freshProgress(),
    turn: new Turn(),
  };
}

function freshProgress(): Progress {
  return {
    resourceVersion: undefined,
    newest: undefined,
    mustVerify: false,
    isRestored: false,
    listReason: 'start',
    needsPages: false,
    oldLists: 0,
    isInterrupted: false,
    failures: 0,
    lastBytesMs: undefined,
  };
}

type Reads<T extends KubeObject> = Omit<
  Reflector<T>,
  'run' | 'synced' | 'hasSynced' | 'isInterrupted' | 'refill' | 'silenceMs'
>;

function readsOf<T extends KubeObject>(cache: ObjectCache<T>): Reads<T> {
  return {
    get: (key) => cache.get(key),
    keys: () => cache.keys(),
    values: () => cache.values(),
    byIndex: (index, namespace, value) => cache.byIndex(index, namespace, value),
    keysByIndex: (index, namespace, value) => cache.keysByIndex(index, namespace, value),
    byClusterIndex: (index, value) => cache.byClusterIndex(index, value),
    keysByClusterIndex: (index, value) => cache.keysByClusterIndex(index, value),
    identity: (key) => cache.identity(key),
    identityKeys: () => cache.identityKeys(),
    leftOut: () => cache.leftOut(),
    isIncomplete: (namespace) => cache.isIncomplete(namespace),
  };
}

/** A cache of one kind that list and watch keep up to date. */
export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>): Reflector<T> {
  const cache = createObjectCache<T>({
    ...options,
    onRoom: (namespace) => refills.request(namespace),
  });
  const parts = partsOf(options, cache);
  const { progress, clock } = parts;
  const refills = createRefills(parts);
  const firstList = Promise.withResolvers<void>();
  let hasSynced = false;

  const steps: Readonly<Record<State, (signal: AbortSignal) => Promise<void>>> = {
    listing: async (signal) => {
      await listAll(parts, signal);
      hasSynced = true;
      firstList.resolve();
    },
    verifying: (signal) => verifyVersion(parts, signal),
    watching: (signal) => watchOnce(parts, signal),
  };

  async function follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await steps[stateOf(progress)](signal);
      } catch (error) {
        await recover(parts, error, signal);
      }
    }
  }

  return {
    run: async (signal) => {
      await haveSynced(options.after, signal);
      await Promise.all([follow(signal), refills.run(signal), compareNames(parts, signal)]);
    },
    synced: (signal) => orAborted(firstList.promise, signal),
    get hasSynced() {
      return hasSynced;
    },
    get isInterrupted() {
      return progress.isInterrupted;
    },
    ...readsOf(cache),
    refill: (namespace) => {
      if (cache.hasRoom(namespace)) refills.request(namespace);
    },
    silenceMs: () => (progress.lastBytesMs === undefined ? 0 : clock.monotonicMs() - progress.lastBytesMs),
  };
}
