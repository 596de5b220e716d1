/** Most results kept at a time. */
const MAX_KEPT = 1_000;

/**
 * Computes a value for a key at most once per `ageMs`, for all users together. Check the permissions of each user before the
 * call. `compute` may shorten the age of its value, for example if it failed.
 */
export const keptFor = <T>(
  ageMs: number,
  compute: (key: string, now: Date, keepOnly: (ms: number) => void) => T,
): ((key: string, now: Date) => T) => {
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
    const value = compute(key, now, (ms) => {
      age.untilMs = nowMs + ms;
    });
    kept.set(key, { value, age });
    return value;
  };
};
