import type { ConfigOf, Settings } from '../config/config.ts';
import type { ValuesOf } from '../config/unsupported-settings.ts';

export const REDIS_SETTINGS = {
  redisUrl: {
    env: 'REDIS_URL',
    type: 'string',
    default: '',
    pattern: '^(rediss?://.+)?$',
    secret: true,
    description: 'redis:// or rediss:// (TLS) URL of the Redis that all replicas share; empty for none',
    changeWhen: 'set it when there are several replicas, so that they share limits and sessions',
  },
  redisUsername: {
    env: 'REDIS_USERNAME',
    type: 'string',
    default: '',
    description: 'Redis user, if the URL contains none',
    changeWhen: 'set it when Redis responds with NOAUTH or WRONGPASS',
  },
  redisPassword: {
    env: 'REDIS_PASSWORD',
    type: 'string',
    default: '',
    secret: true,
    description: 'Redis password, if the URL contains none',
    changeWhen: 'set it when Redis responds with NOAUTH or WRONGPASS',
  },
  redisCaFile: {
    env: 'REDIS_CA_FILE',
    type: 'string',
    default: '',
    description: 'PEM file with the CA of Redis; empty for public CAs',
    setBy: 'the chart, which mounts the Secret',
  },
} as const satisfies Settings;

export const REDIS_CONSTANTS = {
  /** How long a request waits for Redis before it is accepted without being counted: callers do not notice it. */
  redisTimeoutMs: 200,
};
/** Of every key. Installations that share a Redis use different databases of it, which the URL names. */
export const REDIS_KEY_PREFIX = 'zipjobs:';
export type RedisSettings = ConfigOf<typeof REDIS_SETTINGS> & ValuesOf<typeof REDIS_CONSTANTS>;
