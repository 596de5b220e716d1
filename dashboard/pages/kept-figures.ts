/** Most results kept at a time. */
const MAX_KEPT = 1_000;

/**
 * Computes a value for a key at most once per `ageMs`, for all users together. Check the permissions of each user before the
 * call.
 */
export const keptFor = <T>(
  ageMs: number,
  compute: (key: string, now: Date) => T,
): ((key: string, now: Date) => T) => {
  const kept = new Map<string, { readonly value: T; readonly untilMs: number }>();
  return (key, now) => {
    const known = kept.get(key);
    const nowMs = now.getTime();
    // After the clock was set back, old results look new.
    if (known !== undefined && known.untilMs > nowMs && known.untilMs <= nowMs + ageMs) return known.value;
    kept.delete(key);
    for (const oldest of kept.keys()) {
      if (kept.size < MAX_KEPT) break;
      kept.delete(oldest);
    }
    const value = compute(key, now);
    kept.set(key, { value, untilMs: nowMs + ageMs });
    return value;
  };
};
