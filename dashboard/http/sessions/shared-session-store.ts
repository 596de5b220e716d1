import type { Redis } from 'ioredis';
import type { Clock } from '#runtime/time/clock.ts';
import { type SessionStore, SessionStoreAwayError } from './session-store.ts';

export interface SharedSessionStoreDeps {
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly clock: Pick<Clock, 'date'>;
  readonly idleMs: number;
  /** Maximum lifetime of a session. */
  readonly sessionMs: number;
  readonly maxPerUser: number;
}

async function orAway<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    throw new SessionStoreAwayError(error);
  }
}

/** Keeps sessions in Redis, for all replicas. Every method throws SessionStoreAwayError while Redis is not responding. */
export function createSharedSessionStore(deps: SharedSessionStoreDeps): SessionStore {
  const { redis, keyPrefix, clock, idleMs, sessionMs, maxPerUser } = deps;
  function keyOf(id: string): string {
    return `${keyPrefix}session:${id}`;
  }
  function keyOfUser(user: string): string {
    return `${keyPrefix}sessions-of:${user}`;
  }

  /** Redis drops records of idle and ended sessions, but not their IDs in the list. */
  async function forgetEnded(list: string): Promise<void> {
    const ids = await redis.zrange(list, '0', '-1');
    const exist = await Promise.all(ids.map((id) => redis.exists(keyOf(id))));
    const ended = ids.filter((_, index) => exist[index] === 0);
    if (ended.length > 0) await redis.zrem(list, ...ended);
  }
  async function dropOldest(list: string): Promise<void> {
    if ((await redis.zcard(list)) <= maxPerUser) return;
    await forgetEnded(list);
    const oldest = await redis.zrange(list, '0', String(-maxPerUser - 1));
    if (oldest.length > 0) await Promise.all([redis.zrem(list, ...oldest), redis.del(oldest.map(keyOf))]);
  }
  const put: SessionStore['put'] = async (id, record, { user, endsAtMs }) => {
    const list = keyOfUser(user);
    await Promise.all([
      redis.set(keyOf(id), record, 'PX', idleMs),
      redis.zadd(list, endsAtMs, id),
      redis.zremrangebyscore(list, 0, clock.date().getTime()),
      redis.pexpire(list, sessionMs),
    ]);
    await dropOldest(list);
  };
  async function dropAll(user: string): Promise<void> {
    const list = keyOfUser(user);
    const ids = await redis.zrange(list, '0', '-1');
    await redis.del([list, ...ids.map(keyOf)]);
  }
  return {
    put: (id, record, of) => orAway(put(id, record, of)),
    touch: async (id) => (await orAway(redis.getex(keyOf(id), 'PX', idleMs))) ?? undefined,
    peek: async (id) => (await orAway(redis.get(keyOf(id)))) ?? undefined,
    drop: async (id) => {
      await orAway(redis.del(keyOf(id)));
    },
    dropAll: (user) => orAway(dropAll(user)),
  };
}
