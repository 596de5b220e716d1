import type { Redis } from 'ioredis';
import { createDecoder } from '#runtime/config/schema-decoder.ts';
import { toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import {
  entryKey,
  MAX_REFUSED,
  REFUSED_ENTRY_SCHEMA,
  REFUSED_TTL_MS,
  type RefusedEntry,
} from '#runtime/refused-requests/refused-request.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { ChangedEntry, RefusedLog } from './refused-log.ts';

/** Entries that changed are written together, so that no request waits for Redis and a burst costs one write a second. */
const INTERVAL_MS = 1_000;
/** Most entries of one write. The others wait for the next one. */
const MAX_WRITTEN = 500;
/** Most entries whose former value is known. */
const MAX_REPLACED = 5_000;
/** After a failure, Redis is left alone for this time. */
const PAUSE_MS = 5_000;
/** A value of this many characters is no entry of ours: anyone who can write to Redis could have put it there. */
const MAX_ENTRY_LENGTH = 4_096;

const decodeEntry = createDecoder(REFUSED_ENTRY_SCHEMA);

function readEntry(text: string): readonly RefusedEntry[] {
  try {
    return text.length > MAX_ENTRY_LENGTH ? [] : [decodeEntry(JSON.parse(text))];
  } catch {
    return [];
  }
}

export interface SharedRefusedDeps {
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly entries: Pick<RefusedLog, 'takeChanged' | 'putBack'>;
  readonly clock: Pick<Clock, 'after' | 'date'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** The refused requests of all API processes in Redis. Disposing writes what has changed. */
export interface SharedRefused extends AsyncDisposable {
  /** @throws if Redis does not respond */
  of(projectUid: string): Promise<readonly RefusedEntry[]>;
}

function keyOf(keyPrefix: string, projectUid: string): string {
  return `${keyPrefix}refused:${projectUid}`;
}

/** Writes entries of this process. @throws if Redis does not respond or refuses */
function createWrite({ redis, keyPrefix }: Pick<SharedRefusedDeps, 'redis' | 'keyPrefix'>) {
  /** By project and key, what Redis has of the entries of this process, the last one at the end. */
  const written = new Map<string, string>();
  /** What Redis had before, which this replaces. Without it, Redis has both until the older one is displaced, and readers use the newer one. */
  function replaced(id: string, text: string): string | undefined {
    const before = written.get(id);
    written.delete(id);
    written.set(id, text);
    if (written.size > MAX_REPLACED) written.delete(written.keys().next().value ?? '');
    return before;
  }
  async function writeProject(projectUid: string, changed: readonly ChangedEntry[]): Promise<void> {
    const key = keyOf(keyPrefix, projectUid);
    const batch = redis.multi();
    for (const { entry } of changed) {
      const text = JSON.stringify(entry);
      const before = replaced(`${projectUid} ${entryKey(entry)}`, text);
      if (before !== undefined) batch.zrem(key, before);
      batch.zadd(key, entry.lastAtMs, text);
    }
    batch.zremrangebyrank(key, 0, -MAX_REFUSED - 1);
    batch.pexpire(key, REFUSED_TTL_MS);
    const replies = (await batch.exec()) ?? [];
    for (const [error] of replies) if (error !== null) throw error;
  }
  return async (changed: readonly ChangedEntry[]): Promise<void> => {
    const byProject = Map.groupBy(changed, ({ projectUid }) => projectUid);
    await Promise.all([...byProject].map(([uid, ofProject]) => writeProject(uid, ofProject)));
  };
}

/** Each project has a sorted set of entries as JSON, by the time of their last request. A process replaces only its own. */
export function shareRefused(deps: SharedRefusedDeps): SharedRefused {
  const { redis, keyPrefix, entries, clock, log } = deps;
  const write = createWrite(deps);
  let isFailing = false;
  let isStopped = false;
  let timer: Disposable | undefined;

  async function flush(): Promise<void> {
    const changed = entries.takeChanged(MAX_WRITTEN);
    if (changed.length === 0) return;
    try {
      await write(changed);
      isFailing = false;
    } catch (error) {
      entries.putBack(changed);
      if (!isFailing)
        log.warn(
          { err: toError(error) },
          'could not share refused requests in Redis: they stay in the memory of this process, which tries again',
        );
      isFailing = true;
    }
  }
  function next(): void {
    if (isStopped) return;
    timer = clock.after(isFailing ? PAUSE_MS : INTERVAL_MS, () => void flush().finally(next));
  }
  next();
  return {
    of: async (projectUid) => {
      const texts = await redis.zrevrange(keyOf(keyPrefix, projectUid), 0, MAX_REFUSED - 1);
      const since = clock.date().getTime() - REFUSED_TTL_MS;
      return texts.flatMap(readEntry).filter(({ lastAtMs }) => lastAtMs >= since);
    },
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      timer?.[Symbol.dispose]();
      await flush();
    },
  };
}
