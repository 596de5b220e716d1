import type { Clock } from '#runtime/time/clock.ts';

export interface SharedReadsOptions<T> {
  readonly clock: Pick<Clock, 'after'>;
  /** How long a result is kept; 0 shares only reads that are in flight. */
  readonly ageMs: number;
  /** Of all kept results. Others are shared only while they are in flight. */
  readonly maxBytes: number;
  readonly bytesOf: (value: T) => number;
  /** Called for each request that reads nothing itself. */
  readonly onShared: () => void;
}

/**
 * Reads on behalf of a user, or returns the result of a read of the same user with the same arguments. Check the user's
 * permissions for what is read before every call: a result is shared by all sessions of a user name.
 */
export type SharedReads<T> = (user: string, args: readonly string[], read: () => Promise<T>) => Promise<T>;

/** Results of the least size are bounded too. */
const MAX_KEPT = 1_000;

/** Errors are not kept. A read has no signal of a request, because others wait for it. */
export function createSharedReads<T>(options: SharedReadsOptions<T>): SharedReads<T> {
  const { clock, ageMs, maxBytes, bytesOf, onShared } = options;
  const shared = new Map<string, Promise<T>>();
  let kept = 0;
  let keptBytes = 0;

  function keep(key: string, bytes: number): void {
    if (ageMs === 0 || kept >= MAX_KEPT || keptBytes + bytes > maxBytes) {
      shared.delete(key);
      return;
    }
    kept += 1;
    keptBytes += bytes;
    clock.after(ageMs, () => {
      shared.delete(key);
      kept -= 1;
      keptBytes -= bytes;
    });
  }

  return async (user, args, read) => {
    const key = JSON.stringify([user, ...args]);
    const known = shared.get(key);
    if (known !== undefined) {
      onShared();
      return known;
    }
    const reading = read();
    shared.set(key, reading);
    try {
      const value = await reading;
      keep(key, bytesOf(value));
      return value;
    } catch (error) {
      shared.delete(key);
      throw error;
    }
  };
}
