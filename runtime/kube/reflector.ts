import { pause, systemClock } from '../clock.ts';
import { toError } from '../errors.ts';
import { backoffBoundMs } from '../retry.ts';
import { createIngest } from './ingest.ts';
import { KubeError } from './kube-error.ts';
import { listAll, watchOnce } from './list-watch.ts';
import { createObjectCache } from './object-cache.ts';
import { REFLECTOR_DEFAULTS, type ReflectorOptions, type ReflectorSettings } from './reflector-options.ts';
import type { Parts, Progress } from './reflector-parts.ts';
import type { KubeObject, Reflector } from './types.ts';
import { verifyVersion } from './verify-version.ts';

/** Upper limit for Retry-After, so that a wrong header does not stop updates for hours. */
const MAX_RETRY_AFTER_MS = 60_000;
/** The longer of our own backoff and the server's Retry-After. */
const waitMs = (error: KubeError | undefined, failures: number, settings: ReflectorSettings): number => {
  const bound = backoffBoundMs(
    { baseDelayMs: settings.minBackoffMs, maxDelayMs: settings.maxBackoffMs },
    failures,
  );
  const jittered = bound * (0.5 + Math.random() / 2);
  return Math.max(jittered, Math.min(error?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
};

const watchFailed = <T extends KubeObject>(parts: Parts<T>, error: KubeError | undefined): void => {
  const { options, progress } = parts;
  const reason = error?.code ?? 'Unknown';
  options.metrics?.watchEnded(options.definition.kind, reason, 'live');
  // Gone, or an error that a retry cannot fix: start with a list.
  if (error?.code !== 'Gone' && error?.retryable === true) return;
  progress.resourceVersion = undefined;
  progress.listReason = reason;
};

const recover = async <T extends KubeObject>(
  parts: Parts<T>,
  thrown: unknown,
  signal: AbortSignal,
): Promise<void> => {
  const { options, progress, settings } = parts;
  const { kind } = options.definition;
  if (signal.aborted) return;
  const error = thrown instanceof KubeError ? thrown : undefined;
  progress.failures += 1;
  if (progress.resourceVersion !== undefined) {
    progress.mustVerify = true;
    watchFailed(parts, error);
  }
  const delayMs = waitMs(error, progress.failures, settings);
  const facts = { err: toError(thrown), kind, failures: progress.failures, delayMs: Math.round(delayMs) };
  if (progress.failures < 3) options.log.info(facts, 'watch interrupted');
  else options.log.warn(facts, 'watch keeps failing, retrying');
  await pause(parts.clock, delayMs, signal);
};

/** Resolves with the promise. Rejects if the signal aborts first. */
const orAborted = async (done: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
  if (!signal) return done;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => {
    aborted.reject(toError(signal.reason));
  };
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([done, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

const freshProgress = (): Progress => ({
  resourceVersion: undefined,
  repeatFrom: undefined,
  newest: undefined,
  mustVerify: false,
  isRestored: false,
  listReason: 'start',
  needsPages: false,
  oldLists: 0,
  failures: 0,
  lastBytesMs: undefined,
});

/** A cache of one kind that list and watch keep up to date. */
export const createReflector = <T extends KubeObject>(options: ReflectorOptions<T>): Reflector<T> => {
  const clock = options.clock ?? systemClock;
  const cache = createObjectCache<T>(options);
  const progress = freshProgress();
  const parts: Parts<T> = {
    options,
    settings: { ...REFLECTOR_DEFAULTS, ...options.settings },
    clock,
    cache,
    ingest: createIngest(options),
    progress,
  };
  const firstList = Promise.withResolvers<void>();
  let hasSynced = false;

  const listAndWatch = async (signal: AbortSignal): Promise<void> => {
    if (progress.resourceVersion !== undefined && progress.mustVerify) await verifyVersion(parts, signal);
    if (progress.resourceVersion === undefined) {
      await listAll(parts, signal);
      hasSynced = true;
      firstList.resolve();
    }
    await watchOnce(parts, signal);
  };

  return {
    run: async (signal) => {
      while (!signal.aborted) {
        try {
          await listAndWatch(signal);
        } catch (error) {
          await recover(parts, error, signal);
        }
      }
    },
    synced: (signal) => orAborted(firstList.promise, signal),
    get hasSynced() {
      return hasSynced;
    },
    get: (key) => cache.get(key),
    keys: () => cache.keys(),
    values: () => cache.values(),
    byIndex: (index, namespace, value) => cache.byIndex(index, namespace, value),
    keysByIndex: (index, namespace, value) => cache.keysByIndex(index, namespace, value),
    byClusterIndex: (index, value) => cache.byClusterIndex(index, value),
    keysByClusterIndex: (index, value) => cache.keysByClusterIndex(index, value),
    silenceMs: () => (progress.lastBytesMs === undefined ? 0 : clock.monotonicMs() - progress.lastBytesMs),
  };
};
