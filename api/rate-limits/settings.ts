import type { Settings } from '#runtime/config.ts';

const perMinute = <const E extends string, const D extends number>(
  env: E,
  perMinuteDefault: D,
  description: string,
) => ({
  env,
  type: 'integer' as const,
  minimum: 0,
  maximum: 10_000_000,
  default: perMinuteDefault,
  description: `${description}; 0 for no limit`,
});

export const RATE_LIMIT_SETTINGS = {
  requestsPerMinutePerToken: perMinute(
    'REQUESTS_PER_MINUTE_PER_TOKEN',
    6_000,
    'requests that one token may make in a minute',
  ),
  requestsPerMinutePerProject: perMinute(
    'REQUESTS_PER_MINUTE_PER_PROJECT',
    12_000,
    'requests that all tokens of a project may make in a minute; a ZipProject may ask for less',
  ),
  authFailuresPerMinute: perMinute(
    'AUTH_FAILURES_PER_MINUTE',
    600,
    'requests of one client address (IPv6: of its /64) in a minute that are told why their token does not open; further ones are answered 429',
  ),
} as const satisfies Settings;
