const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** When something was used last, no finer than it is recorded. */
export const lastUse = (at: string | null, now: Date): string => {
  if (at === null) return 'never';
  const ago = now.getTime() - Date.parse(at);
  if (ago < HOUR_MS) return 'in the last hour';
  if (ago < DAY_MS) return 'in the last 24 hours';
  const days = Math.floor(ago / DAY_MS);
  return days === 1 ? 'yesterday or the day before' : `${days} days ago`;
};
