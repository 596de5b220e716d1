import type { Redis } from 'ioredis';
import type { Clock } from '#runtime/clock.ts';
import { type SessionStore, SessionStoreAwayError } from './session-store.ts';

export interface SharedSessionStoreDeps {
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly clock: Pick<Clock, 'date'>;
  readonly idleMs: number;
  /** Maximum lifetime of a session. */
  readonly sessionMs: number;
}

const orAway = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw new SessionStoreAwayError(error);
  }
};

/** Keeps sessions in Redis, for all replicas. Every method throws SessionStoreAwayError while Redis is not responding. */
export const createSharedSessionStore = (deps: SharedSessionStoreDeps): SessionStore => {
  const { redis, keyPrefix, clock, idleMs, sessionMs } = deps;
  const keyOf = (id: string): string => `${keyPrefix}session:${id}`;
  const keyOfPerson = (person: string): string => `${keyPrefix}sessions-of:${person}`;

  const put: SessionStore['put'] = async (id, record, { person, endsAtMs }) => {
    const list = keyOfPerson(person);
    await Promise.all([
      redis.set(keyOf(id), record, 'PX', idleMs),
      redis.zadd(list, endsAtMs, id),
      redis.zremrangebyscore(list, 0, clock.date().getTime()),
      redis.pexpire(list, sessionMs),
    ]);
  };
  const dropAll = async (person: string): Promise<void> => {
    const list = keyOfPerson(person);
    const ids = await redis.zrange(list, '0', '-1');
    await redis.del([list, ...ids.map(keyOf)]);
  };
  return {
    put: (id, record, of) => orAway(put(id, record, of)),
    touch: async (id) => (await orAway(redis.getex(keyOf(id), 'PX', idleMs))) ?? undefined,
    peek: async (id) => (await orAway(redis.get(keyOf(id)))) ?? undefined,
    drop: async (id) => {
      await orAway(redis.del(keyOf(id)));
    },
    dropAll: (person) => orAway(dropAll(person)),
  };
};
