import type { Redis } from 'ioredis';
import type { Counter } from 'prom-client';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Trust } from '../tls/trust.ts';
import { createRedis } from './create-redis.ts';
import { type CountRequest, createLocalCounts, createSharedCounts } from './request-counts.ts';
import { REDIS_KEY_PREFIX, type RedisSettings } from './settings.ts';

/** Undefined without REDIS_URL. */
export function connectRedis(
  config: RedisSettings,
  { log, trust, clock }: { readonly log: Logger; readonly trust: Trust; readonly clock: Clock },
): ReturnType<typeof createRedis> | undefined {
  return config.redisUrl === ''
    ? undefined
    : createRedis(config, {
        trust,
        clock,
        onError: (error) => log.debug({ err: error }, 'no connection to Redis'),
      });
}

/** Counts requests in Redis, or in this process without one. */
export function createCounts(deps: {
  readonly log: Logger;
  readonly clock: Clock;
  readonly redis: Redis | undefined;
  /** Requests that passed uncounted. */
  readonly uncounted: Counter;
}): CountRequest {
  const { log, clock, redis, uncounted } = deps;
  if (redis === undefined) {
    log.info('REDIS_URL is not set: this process counts requests on its own');
    return createLocalCounts(clock);
  }
  function onUncounted(): void {
    uncounted.inc();
  }
  return createSharedCounts({ redis, keyPrefix: REDIS_KEY_PREFIX, clock, log, onUncounted });
}
