import type { ReadForwarded } from '#runtime/http/client-address.ts';
import type { Quota } from '#runtime/redis/quota.ts';
import { WINDOW_SECONDS } from '#runtime/redis/request-counts.ts';
import { rateLimitExceeded } from '../errors/api-error.ts';
import type { ApiLimit, ApiQuota, RateLimits } from '../limits/rate-limits.ts';
import type { Guesses, Principal } from '../tokens/authenticate.ts';
import type { ApiContext } from './context.ts';

/** The headers of draft-ietf-httpapi-ratelimit-headers: lists of structured-field strings with parameters. */
export function rateLimitHeaders(quotas: readonly Quota[]): Readonly<Record<string, string>> {
  if (quotas.length === 0) return {};
  const policies = quotas.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_SECONDS}`);
  const left = quotas.map(
    ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
  );
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: left.join(', ') };
}

const WHOSE: Readonly<Record<ApiLimit, string>> = {
  token: 'requests with this access token',
  project: 'requests of this project',
  failures: 'requests without a valid access token from your address',
};

export interface RateLimitDeps {
  readonly rateLimits: RateLimits;
  readonly readForwarded: ReadForwarded;
  /** Counts the requests that were refused. */
  readonly onExceeded: (name: ApiLimit) => void;
}

export interface RateLimit {
  /** @throws ApiError rate_limit_exceeded */
  take(ctx: ApiContext, principal: Principal): Promise<void>;
  /**
   * Counts a request with an invalid token. Requests with a valid token are not affected, because clients behind the same address
   * may be unrelated.
   * @throws ApiError rate_limit_exceeded
   */
  fail(ctx: ApiContext): Promise<void>;
  /** The limit of the client's address for tokens that look like one real token. Other tokens from the address are not affected. */
  guesses(ctx: ApiContext): Guesses;
}

/** Counts requests against their limits, and reports the remaining quota in the response headers. */
export function createRateLimit({ rateLimits, readForwarded, onExceeded }: RateLimitDeps): RateLimit {
  function judge(quotas: readonly ApiQuota[]): void {
    const exceeded = quotas.filter(({ isExceeded }) => isExceeded);
    const [first] = exceeded;
    if (first === undefined) return;
    onExceeded(first.name);
    throw rateLimitExceeded(WHOSE[first.name], Math.max(...exceeded.map(({ resetSeconds }) => resetSeconds)));
  }
  return {
    take: async (ctx, principal) => {
      const quotas = await rateLimits.take(principal);
      ctx.set({ ...rateLimitHeaders(quotas) });
      judge(quotas);
    },
    fail: async (ctx) => {
      judge(await rateLimits.fail(readForwarded(ctx.req).address));
    },
    guesses: (ctx) => {
      const { address } = readForwarded(ctx.req);
      return {
        assertAllowed: (mask) => judge(rateLimits.guesses(address, mask)),
        failed: (mask) => rateLimits.guess(address, mask),
      };
    },
  };
}
