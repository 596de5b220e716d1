import type { Quota } from '#runtime/redis/quota.ts';
import { WINDOW_SECONDS } from '#runtime/redis/request-counts.ts';

/** The headers of draft-ietf-httpapi-ratelimit-headers: lists of structured-field strings with parameters. */
export function rateLimitHeaders(quotas: readonly Quota[]): Readonly<Record<string, string>> {
  if (quotas.length === 0) return {};
  const policies = quotas.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_SECONDS}`);
  const left = quotas.map(
    ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
  );
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: left.join(', ') };
}
