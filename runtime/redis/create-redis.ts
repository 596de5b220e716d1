import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { ConfigError } from '../errors.ts';
import type { RedisSettings } from './settings.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const MIN_RECONNECT_MS = 100;
const MAX_RECONNECT_MS = 2_000;

const readCa = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`REDIS_CA_FILE: cannot read ${file}`, error);
  }
};

const credentials = ({ redisUsername, redisPassword }: RedisSettings) => ({
  ...(redisUsername === '' ? {} : { username: redisUsername }),
  ...(redisPassword === '' ? {} : { password: redisPassword }),
});

/**
 * A client that reconnects for as long as the process runs. A command without a connection fails immediately, so that
 * no request waits for Redis.
 * @throws ConfigError
 */
export const createRedis = (
  settings: RedisSettings,
  onError: (error: Error) => void,
): Redis & AsyncDisposable => {
  const { redisUrl, redisCaFile, redisTimeoutMs } = settings;
  const redis = new Redis(redisUrl, {
    ...credentials(settings),
    ...(redisCaFile === '' ? {} : { tls: { ca: readCa(redisCaFile) } }),
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: redisTimeoutMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (times: number) => Math.min(MAX_RECONNECT_MS, MIN_RECONNECT_MS * 2 ** Math.min(times, 10)),
  });
  redis.on('error', onError);
  // Errors are also emitted as `error` events.
  redis.connect().catch(() => undefined);
  return Object.assign(redis, {
    [Symbol.asyncDispose]: () => {
      redis.disconnect();
      return Promise.resolve();
    },
  });
};
