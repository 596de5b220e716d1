import type { Settings } from '#runtime/config.ts';
import { TOKEN_AUDIENCE_SETTINGS } from '#runtime/store/settings.ts';

/** The settings for security token services. */
export const STS_SETTINGS = {
  ...TOKEN_AUDIENCE_SETTINGS,
  storeStsHosts: {
    env: 'STORE_STS_HOSTS',
    type: 'array',
    default: [],
    description:
      'security token services that may get the token of a bucket with webIdentity, as host or host:port',
  },
  stsTimeoutMs: {
    env: 'STS_TIMEOUT_MS',
    type: 'integer',
    default: 10_000,
    minimum: 1,
    description: 'time limit of one request to a security token service',
  },
  stsRetryMs: {
    env: 'STS_RETRY_MS',
    type: 'integer',
    default: 5_000,
    minimum: 1,
    description:
      'minimum interval between two attempts to renew credentials that are still valid; renewal starts five minutes before they expire, or after two thirds of their lifetime if that is later',
  },
} as const satisfies Settings;
