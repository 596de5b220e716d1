import { pause } from '../clock.ts';
import { toError } from '../errors.ts';
import { backoffMs } from '../retry.ts';
import { versionOf } from './ingest.ts';
import { isKubeError } from './kube-error.ts';
import { isOlderVersion } from './object-cache.ts';
import { applyEvent, endReason, openWatch } from './open-watch.ts';
import type { Parts } from './reflector-parts.ts';
import type { KubeObject } from './types.ts';

/** Receives events up to this version, or until the server ends the watch. Returns why the watch ended. */
async function repeatOnce<T extends KubeObject>(
  parts: Parts<T>,
  until: string,
  signal: AbortSignal,
): Promise<string> {
  const { progress, settings, clock } = parts;
  const startedMs = clock.monotonicMs();
  const range = {
    from: progress.repeatFrom,
    timeoutSeconds: settings.repeatTimeoutSeconds,
    onBytes: () => undefined,
  };
  for await (const event of openWatch(parts, range, signal)) {
    const version = versionOf(event.object);
    if (version === undefined) continue;
    // Newer ones arrive in the watch beside this one.
    if (!isOlderVersion(until, version)) applyEvent(parts, event);
    if (isOlderVersion(progress.repeatFrom, version)) progress.repeatFrom = version;
    if (!isOlderVersion(version, until)) progress.repeatFrom = until;
    if (progress.repeatFrom === until) return 'complete';
  }
  return endReason(range, clock.monotonicMs() - startedMs);
}

async function repeatSafely<T extends KubeObject>(
  parts: Parts<T>,
  until: string,
  signal: AbortSignal,
): Promise<void> {
  const { log, definition, metrics } = parts.options;
  try {
    const reason = await repeatOnce(parts, until, signal);
    metrics?.watchEnded(definition.kind, reason, 'repetition');
  } catch (error) {
    if (signal.aborted) return;
    metrics?.watchEnded(definition.kind, isKubeError(error) ? error.code : 'Unknown', 'repetition');
    const facts = { err: toError(error), kind: definition.kind };
    log.info(facts, 'the repetition of watch events was interrupted');
    // The server no longer has these events.
    if (isKubeError(error, 'Gone')) parts.progress.repeatFrom = until;
  }
}

/**
 * Receives the events between `repeatFrom` and `until` again, over a second connection beside the watch. A lost event arrives that
 * way, and new events do not wait: the API server ends a watch that still repeats when too many new events have arrived. Continues
 * where a watch ended, and with the next watch of the reflector if the signal aborts. Never rejects.
 */
export async function repeatEvents<T extends KubeObject>(
  parts: Parts<T>,
  until: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { settings, progress, cache, clock, turn } = parts;
  let failures = 0;
  while (until !== undefined && !signal.aborted && isOlderVersion(progress.repeatFrom, until)) {
    const { repeatFrom } = progress;
    await repeatSafely(parts, until, signal);
    if (progress.repeatFrom !== repeatFrom) continue;
    failures += 1;
    const bound = { baseDelayMs: settings.minBackoffMs, maxDelayMs: settings.maxBackoffMs };
    await pause(clock, backoffMs(bound, failures), signal);
  }
  // The objects of a namespace that are being received again may be older.
  if (progress.repeatFrom !== undefined && !turn.isTaken) cache.forgetDeleted(progress.repeatFrom);
}
