import type { Settings } from '#runtime/config.ts';

function perMinute<const E extends string, const D extends number>(
  env: E,
  perMinuteDefault: D,
  description: string,
) {
  return {
    env,
    type: 'integer' as const,
    minimum: 0,
    maximum: 10_000_000,
    default: perMinuteDefault,
    description: `${description}; 0 for no limit`,
  };
}

export const RATE_LIMIT_SETTINGS = {
  requestsPerMinutePerToken: perMinute(
    'REQUESTS_PER_MINUTE_PER_TOKEN',
    6_000,
    'requests per minute and token',
  ),
  authFailuresPerMinute: perMinute(
    'AUTH_FAILURES_PER_MINUTE',
    600,
    'requests without a valid token per minute and client address (IPv6: /64); further ones receive 429',
  ),
  undelayedRequestsPerSecond: {
    env: 'UNDELAYED_REQUESTS_PER_SECOND',
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    default: 50,
    description:
      'requests per second of a token or project that each API replica never delays; above it and above an even share of the limit per minute, they are spread evenly after a burst of two seconds, and receive 429 if they would wait longer than two seconds',
  },
  undelayedBodyBytesPerSecond: {
    env: 'UNDELAYED_BODY_BYTES_PER_SECOND',
    type: 'integer',
    minimum: 64 * 1_024,
    maximum: 1_000_000_000_000,
    default: 16 * 1_024 * 1_024,
    description:
      'bytes of request bodies per second of a project that each API replica reads without delay; above it, after a burst of two seconds, it reads them at this rate',
  },
  apiReplicas: {
    env: 'API_REPLICAS',
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 1,
    description:
      'maximum number of API processes; without Redis, each applies the rate limits divided by this number',
  },
} as const satisfies Settings;
