import { type Redis, ReplyError } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterRedis } from 'rate-limiter-flexible';
import { toError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';

/** What is counted, separately for each subject. */
export type CountName = 'token' | 'project' | 'failures' | 'signIns' | 'session' | 'history';

/** Requests of a subject in its current window. */
export interface RequestCount {
  readonly used: number;
  /** Time until the next window of this subject starts. */
  readonly resetMs: number;
}

/** Counts one request. Undefined if that is not possible now. Never throws. */
export type CountRequest = (name: CountName, subject: string) => Promise<RequestCount | undefined>;

/** Length of the window of every limit. */
export const WINDOW_SECONDS = 60;

/** Limits differ by project, so this library only counts, and the caller applies the limit. */
const UNLIMITED = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };

function countWith(limiterOf: (name: CountName) => RateLimiterAbstract) {
  return async (name: CountName, subject: string): Promise<RequestCount> => {
    const { consumedPoints, msBeforeNext } = await limiterOf(name).consume(subject);
    return { used: consumedPoints, resetMs: msBeforeNext };
  };
}

function byName(create: (name: CountName) => RateLimiterAbstract) {
  const limiters = {
    token: create('token'),
    project: create('project'),
    failures: create('failures'),
    signIns: create('signIns'),
    session: create('session'),
    history: create('history'),
  };
  return (name: CountName): RateLimiterAbstract => limiters[name];
}

/**
 * Counts in KEYS[1]: ARGV[1] requests, in a window of ARGV[2] seconds. As the script of the library, but a value that is no count,
 * or that outlives the window, is replaced. Others who can write to Redis could otherwise block a subject for years, or turn off all
 * limits by the errors that its requests cause.
 */
const COUNT_SCRIPT = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local windowMs = 1000 * ARGV[2]
local consumed = redis.pcall('incrby', KEYS[1], ARGV[1])
if type(consumed) == 'table' or consumed < 1 then
  redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
  return {tonumber(ARGV[1]), windowMs}
end
local ttl = redis.call('pttl', KEYS[1])
if ttl < 0 or ttl > windowMs then
  redis.call('pexpire', KEYS[1], windowMs)
  ttl = windowMs
end
return {consumed, ttl}`;

/** Counts in this process only, by a clock that never jumps, unlike that of the library. */
export function createLocalCounts(clock: Pick<Clock, 'monotonicMs'>): CountRequest {
  /** In the order in which they end, because all have the same length. */
  const windows = new Map<string, { used: number; readonly endsAt: number }>();
  function dropEnded(now: number): void {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now) return;
      windows.delete(key);
    }
  }
  return (name, subject) => {
    const now = clock.monotonicMs();
    dropEnded(now);
    const key = `${name}:${subject}`;
    const window = windows.get(key) ?? { used: 0, endsAt: now + WINDOW_SECONDS * 1_000 };
    window.used += 1;
    windows.set(key, window);
    return Promise.resolve({ used: window.used, resetMs: Math.round(window.endsAt - now) });
  };
}

export interface SharedCountsDeps {
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called for each request that was not counted. */
  readonly onUncounted: () => void;
}

/** Pause after a failure of Redis. Otherwise each request would wait for its timeout. */
const PAUSE_MS = 500;
/** Interval in which each different failure is logged once. */
const LOG_EVERY_MS = 60_000;
/** Maximum log lines of an interval. */
const MAX_LINES = 10;

/** Redis responded: its response begins with a code, such as NOPERM or OOM. */
function isResponse(error: unknown): error is Error {
  return error instanceof ReplyError;
}

/** Logs why requests are not counted: what Redis responded, or that it does not respond. */
function createReport({ redis, clock, log }: Pick<SharedCountsDeps, 'redis' | 'clock' | 'log'>) {
  /** Why there is no connection: the client only says that it is not ready. */
  let disconnectedBy: unknown;
  const reported = new Set<string>();
  let reportedUntil = Number.NEGATIVE_INFINITY;
  redis.on('error', (error: unknown) => {
    disconnectedBy = error;
  });
  redis.on('ready', () => {
    disconnectedBy = undefined;
  });

  return (thrown: unknown): void => {
    // After these, the client may end the connection itself.
    if (isResponse(thrown)) disconnectedBy = thrown;
    const error = redis.status === 'ready' ? thrown : (disconnectedBy ?? thrown);
    const code = isResponse(error) ? (error.message.split(' ', 1)[0] ?? '') : '';
    const now = clock.monotonicMs();
    if (now >= reportedUntil) {
      reported.clear();
      reportedUntil = now + LOG_EVERY_MS;
    }
    if (reported.has(code) || reported.size >= MAX_LINES) return;
    reported.add(code);
    const problem = code === '' ? 'Redis does not respond' : 'Redis refuses to count requests';
    log.error({ err: toError(error) }, `${problem}: requests are accepted without rate limits`);
  };
}

/** Counts in Redis, for all replicas together. While Redis does not respond, or refuses, requests are not counted. */
export function createSharedCounts(deps: SharedCountsDeps): CountRequest {
  const { redis, keyPrefix, clock, onUncounted } = deps;
  const count = countWith(
    byName(
      (name) =>
        new RateLimiterRedis({
          ...UNLIMITED,
          storeClient: redis,
          keyPrefix: `${keyPrefix}${name}`,
          rejectIfRedisNotReady: true,
          customIncrTtlLuaScript: COUNT_SCRIPT,
        }),
    ),
  );
  const report = createReport(deps);
  let pausedUntil = Number.NEGATIVE_INFINITY;

  return async (name, subject) => {
    try {
      if (clock.monotonicMs() >= pausedUntil) return await count(name, subject);
    } catch (error) {
      pausedUntil = clock.monotonicMs() + PAUSE_MS;
      report(error);
    }
    onUncounted();
    return undefined;
  };
}
