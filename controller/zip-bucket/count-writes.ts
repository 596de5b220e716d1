import { after } from '#runtime/fair/rate.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { Heap } from '../reconciling/heap.ts';

export interface CountWritesOptions {
  /** Of all buckets together. */
  readonly perSecond: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Spreads the writes of job counts over time: each bucket gets the next free time, first come, first served. */
export interface CountWrites {
  /** Milliseconds until the bucket may write its count; it keeps its place. 0: it may write now, once. */
  reserve(bucket: ObjectKey): number;
  /** Gives up the place of a bucket whose count is right, or that does not exist. */
  release(bucket: ObjectKey): void;
}

export function createCountWrites({ perSecond, clock }: CountWritesOptions): CountWrites {
  const intervalMs = 1000 / perSecond;
  const reserved = new Map<ObjectKey, number>();
  /** Places before `nextMs` that were given up. Without them, `nextMs` would run away from the time. */
  const free = new Heap<number>((one, other) => one < other);
  let nextMs = 0;
  /** When counts were written within the last second. */
  let recent: readonly number[] = [];
  function nextPlace(nowMs: number): number {
    for (let atMs = free.shift(); atMs !== undefined; atMs = free.shift()) if (atMs >= nowMs) return atMs;
    const { dueMs, delayMs } = after({ dueMs: nextMs, nowMs, burstMs: intervalMs }, intervalMs);
    nextMs = dueMs;
    return nowMs + delayMs;
  }
  function timeOf(bucket: ObjectKey, nowMs: number): number {
    const known = reserved.get(bucket);
    if (known !== undefined) return known;
    const atMs = nextPlace(nowMs);
    reserved.set(bucket, atMs);
    return atMs;
  }
  /** After a busy time many places are over. One more than the rate is allowed, because timers are inexact. */
  function isTooMany(nowMs: number): boolean {
    recent = recent.filter((atMs) => atMs > nowMs - 1000);
    return recent.length > perSecond;
  }
  return {
    reserve: (bucket) => {
      const nowMs = clock.monotonicMs();
      if (timeOf(bucket, nowMs) <= nowMs && isTooMany(nowMs)) reserved.set(bucket, nextPlace(nowMs + 1));
      const waitMs = Math.max(0, timeOf(bucket, nowMs) - nowMs);
      if (waitMs === 0) {
        reserved.delete(bucket);
        recent = [...recent, nowMs];
      }
      return waitMs;
    },
    release: (bucket) => {
      const atMs = reserved.get(bucket);
      if (atMs !== undefined) free.push(atMs);
      reserved.delete(bucket);
    },
  };
}
