import type { Settings } from '#runtime/config/config.ts';
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
    changeWhen: 'set it when buckets use a security token service other than that of AWS',
  },
} as const satisfies Settings;

export const STS_CONSTANTS = {
  /** Time limit of one request to a security token service. */
  stsTimeoutMs: 10_000,
  /** Shortest interval between two attempts to renew credentials that are still valid for five minutes. */
  stsRetryMs: 5_000,
};
