import type { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Clock } from '../clock.ts';
import { toError } from '../errors.ts';
import type { Logger } from '../log.ts';

/** What is counted, for each subject of its own. */
export type CountName = 'token' | 'project' | 'failures' | 'signIns';

/** A subject's requests since its minute began. */
export interface RequestCount {
  readonly used: number;
  /** Until the next minute of this subject begins. */
  readonly resetMs: number;
}

/** Counts one request; undefined when that is not possible now. Never throws. */
export type CountRequest = (name: CountName, subject: string) => Promise<RequestCount | undefined>;

/** Length of the window of every limit. */
export const WINDOW_SECONDS = 60;

/** Limits differ by project, so this library only counts; what is too much is judged by the caller. */
const UNLIMITED = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };

const countWith =
  (limiterOf: (name: CountName) => RateLimiterAbstract) =>
  async (name: CountName, subject: string): Promise<RequestCount> => {
    const { consumedPoints, msBeforeNext } = await limiterOf(name).consume(subject);
    return { used: consumedPoints, resetMs: msBeforeNext };
  };

const byName = (create: (name: CountName) => RateLimiterAbstract) => {
  const limiters = {
    token: create('token'),
    project: create('project'),
    failures: create('failures'),
    signIns: create('signIns'),
  };
  return (name: CountName): RateLimiterAbstract => limiters[name];
};

/** Counts in this process alone. */
export const createLocalCounts = (): CountRequest =>
  countWith(byName((name) => new RateLimiterMemory({ ...UNLIMITED, keyPrefix: name })));

export interface SharedCountsDeps {
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Counts the requests that passed uncounted. */
  readonly onUncounted: () => void;
}

/** After a failure Redis is left alone for so long: requests would wait for its silence one by one. */
const PAUSE_MS = 500;
/** An outage is logged this often. */
const LOG_EVERY_MS = 60_000;

/** Counts in Redis, for all replicas together. While Redis does not answer, requests pass uncounted. */
export const createSharedCounts = (deps: SharedCountsDeps): CountRequest => {
  const { redis, keyPrefix, clock, log, onUncounted } = deps;
  const count = countWith(
    byName(
      (name) =>
        new RateLimiterRedis({
          ...UNLIMITED,
          storeClient: redis,
          keyPrefix: `${keyPrefix}${name}`,
          rejectIfRedisNotReady: true,
        }),
    ),
  );
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let quietUntil = Number.NEGATIVE_INFINITY;

  const failed = (error: unknown): void => {
    const now = clock.monotonicMs();
    pausedUntil = now + PAUSE_MS;
    if (now < quietUntil) return;
    quietUntil = now + LOG_EVERY_MS;
    log.error({ err: toError(error) }, 'Redis does not respond: requests are accepted without rate limits');
  };

  return async (name, subject) => {
    try {
      if (clock.monotonicMs() >= pausedUntil) return await count(name, subject);
    } catch (error) {
      failed(error);
    }
    onUncounted();
    return undefined;
  };
};
