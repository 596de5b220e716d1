import type { ConfigOf, Settings } from '../config.ts';

export const REDIS_SETTINGS = {
  redisUrl: {
    env: 'REDIS_URL',
    type: 'string',
    default: '',
    pattern: '^(rediss?://.+)?$',
    secret: true,
    description: 'redis:// or rediss:// (TLS) URL of the Redis that all replicas share; empty for none',
  },
  redisUsername: {
    env: 'REDIS_USERNAME',
    type: 'string',
    default: '',
    description: 'Redis user, if the URL contains none',
  },
  redisPassword: {
    env: 'REDIS_PASSWORD',
    type: 'string',
    default: '',
    secret: true,
    description: 'Redis password, if the URL contains none',
  },
  redisCaFile: {
    env: 'REDIS_CA_FILE',
    type: 'string',
    default: '',
    description: 'PEM file with the CA of Redis; empty for public CAs',
  },
  redisKeyPrefix: {
    env: 'REDIS_KEY_PREFIX',
    type: 'string',
    default: 'zipjobs:',
    description: 'prefix of every key in Redis, so that several installations can share one',
  },
  redisTimeoutMs: {
    env: 'REDIS_TIMEOUT_MS',
    type: 'integer',
    minimum: 1,
    default: 200,
    description:
      'how long a request waits for Redis before it is accepted without being counted, in milliseconds',
  },
} as const satisfies Settings;
export type RedisSettings = ConfigOf<typeof REDIS_SETTINGS>;
