import type { Logger } from '#runtime/log/log.ts';
import type { RetryPolicy } from '#runtime/time/retry.ts';
import type { RenewableCredentials, StoreIdentity } from '../session.ts';
import type { Session } from './sts-response.ts';

export interface RenewedSessionDeps {
  readonly assumeRole: () => Promise<Session>;
  /** Minimum interval between two attempts to renew credentials that are still valid. */
  readonly retryMs: number;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly log: Logger;
}

/** Long enough for the requests that already have the older credentials. */
const MOST_AHEAD_MS = 5 * 60_000;

/** New credentials of a role need no wait. */
const ONCE: RetryPolicy = { attempts: 1, baseDelayMs: 0, maxDelayMs: 0 };

interface Held {
  readonly identity: StoreIdentity;
  readonly renewAt: number;
  readonly endsAt: number;
}

/**
 * Keeps the credentials of a role current. Near their end they are renewed while requests still use the older ones, so a token
 * service that is away delays nothing before the credentials expire.
 */
export function createRenewedSession({
  assumeRole,
  retryMs,
  now,
  log,
}: RenewedSessionDeps): RenewableCredentials {
  let held: Held | undefined;
  let pending: Promise<Held> | undefined;
  let retryAt = 0;

  async function fetchSession(): Promise<Held> {
    const askedAt = now();
    const { lifetimeMs, ...identity } = await assumeRole();
    const ahead = Math.min(MOST_AHEAD_MS, lifetimeMs / 3);
    log.info({ lifetimeMs }, 'got credentials from the security token service');
    return { identity, renewAt: askedAt + lifetimeMs - ahead, endsAt: askedAt + lifetimeMs };
  }
  /** One request at a time, also if several parts of an upload ask. */
  function refresh(): Promise<Held> {
    pending ??= fetchSession()
      .then((next) => {
        held = next;
        return next;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  }
  function refreshAhead(): void {
    if (pending || now() < retryAt) return;
    retryAt = now() + retryMs;
    refresh().catch((error: unknown) =>
      log.warn({ err: error }, 'could not renew the credentials; the current ones are still valid'),
    );
  }
  return {
    current: async () => {
      if (!held || now() >= held.endsAt) return (await refresh()).identity;
      if (now() >= held.renewAt) refreshAhead();
      return held.identity;
    },
    renew: async (rejected) => {
      if (!held || held.identity === rejected) await refresh();
    },
    repeats: ONCE,
  };
}
