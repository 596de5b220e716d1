import { type Clock, systemClock } from '#runtime/time/clock.ts';

/** Most results kept at a time. */
const MAX_KEPT = 1_000;

/**
 * Computes a value for a key at most once per `ageMs`, for all users together. Check the permissions of each user before the
 * call. `compute` may shorten the age of its value, for example if it failed: it then counts from that moment.
 */
export function keptFor<T>(
  ageMs: number,
  compute: (key: string, now: Date, keepOnly: (ms: number) => void) => T,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
): (key: string, now: Date) => T {
  const kept = new Map<string, { readonly value: T; readonly age: { untilMs: number } }>();
  return (key, now) => {
    const known = kept.get(key);
    const nowMs = now.getTime();
    // After the clock was set back, old results look new.
    const untilMs = known?.age.untilMs ?? 0;
    if (known !== undefined && untilMs > nowMs && untilMs <= nowMs + ageMs) return known.value;
    kept.delete(key);
    for (const oldest of kept.keys()) {
      if (kept.size < MAX_KEPT) break;
      kept.delete(oldest);
    }
    const age = { untilMs: nowMs + ageMs };
    const startedMs = clock.monotonicMs();
    const value = compute(key, now, (ms) => {
      age.untilMs = nowMs + (clock.monotonicMs() - startedMs) + ms;
    });
    kept.set(key, { value, age });
    return value;
  };
}
