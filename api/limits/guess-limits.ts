import { clientNetwork } from '#runtime/http/client-network.ts';
import type { Quota } from '#runtime/redis/quota.ts';
import { WINDOW_SECONDS } from '#runtime/redis/request-counts.ts';
import type { Clock } from '#runtime/time/clock.ts';

const WINDOW_MS = WINDOW_SECONDS * 1_000;
/** The oldest counts are dropped first. */
const MAX_COUNTS = 10_000;

interface Count {
  readonly used: number;
  readonly until: number;
}

/**
 * Limits the tokens that must be hashed because they have the mask of a real one, by client address and mask. So nobody can make the
 * API hash all day, and an address that guesses one token does not lock out clients behind it with other tokens. Counted in this
 * process only: the check comes before any work for the request. 0 for no limit.
 */
export function createGuessLimits(clock: Pick<Clock, 'monotonicMs'>, limit: number) {
  /** Oldest first. */
  const counts = new Map<string, Count>();
  function keyOf(address: string, mask: string): string {
    return `${clientNetwork(address)} ${mask}`;
  }
  function current(key: string): Count | undefined {
    const count = counts.get(key);
    return count !== undefined && count.until > clock.monotonicMs() ? count : undefined;
  }
  return {
    guess: (address: string, mask: string): void => {
      if (limit === 0) return;
      const key = keyOf(address, mask);
      const before = current(key);
      if (before === undefined) counts.delete(key);
      const until = before?.until ?? clock.monotonicMs() + WINDOW_MS;
      counts.set(key, { used: (before?.used ?? 0) + 1, until });
      const [oldest] = counts.keys();
      if (counts.size > MAX_COUNTS && oldest !== undefined) counts.delete(oldest);
    },
    guesses: (address: string, mask: string): readonly Quota<'failures'>[] => {
      const count = current(keyOf(address, mask));
      if (limit === 0 || count === undefined) return [];
      const { used, until } = count;
      const resetSeconds = Math.max(1, Math.ceil((until - clock.monotonicMs()) / 1_000));
      return [
        {
          name: 'failures',
          limit,
          remaining: Math.max(0, limit - used),
          resetSeconds,
          isExceeded: used >= limit,
        },
      ];
    },
  };
}
