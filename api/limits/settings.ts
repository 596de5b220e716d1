import type { Settings } from '#runtime/config/config.ts';

function perMinute<const E extends string, const D extends number>(
  env: E,
  perMinuteDefault: D,
  { description, changeWhen }: { readonly description: string; readonly changeWhen: string },
) {
  return {
    env,
    type: 'integer' as const,
    minimum: 0,
    maximum: 10_000_000,
    default: perMinuteDefault,
    description: `${description}; 0 for no limit`,
    changeWhen,
  };
}

export const RATE_LIMIT_SETTINGS = {
  requestsPerMinutePerToken: perMinute('REQUESTS_PER_MINUTE_PER_TOKEN', 6_000, {
    description: 'requests per minute and token',
    changeWhen: 'raise it when zip_api_rate_limited_total{limit="token"} grows for well-behaved callers',
  }),
  authFailuresPerMinute: perMinute('AUTH_FAILURES_PER_MINUTE', 600, {
    description:
      'requests without a valid token per minute and client address (IPv6: /64); further ones receive 429',
    changeWhen: 'raise it when callers behind one address get 429 because one of them has an old token',
  }),
  undelayedRequestsPerSecond: {
    env: 'UNDELAYED_REQUESTS_PER_SECOND',
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    default: 50,
    description:
      'requests per second of a token or project that each API replica never delays; above it and above an even share of the limit per minute, they are spread evenly after a burst of two seconds, and receive 429 if they would wait longer than two seconds',
    changeWhen:
      'raise it when zip_api_delayed_requests_total{limit="second"} grows for bursts that the API can handle',
  },
  undelayedBodyBytesPerSecond: {
    env: 'UNDELAYED_BODY_BYTES_PER_SECOND',
    type: 'integer',
    minimum: 64 * 1_024,
    maximum: 1_000_000_000_000,
    default: 16 * 1_024 * 1_024,
    description:
      'bytes of request bodies per second of a project that each API replica reads without delay; above it, after a burst of two seconds, it reads them at this rate',
    changeWhen: 'raise it when zip_api_body_delay_seconds_total grows while the API has CPU left',
  },
  apiReplicas: {
    env: 'API_REPLICAS',
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 1,
    description:
      'maximum number of API processes; without Redis, each applies the rate limits divided by this number',
    setBy: 'the chart, from api.replicas or api.autoscaling.maxReplicas',
  },
} as const satisfies Settings;
