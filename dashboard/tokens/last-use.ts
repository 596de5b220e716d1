const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Time of the last use, as coarse as it is recorded. */
export function lastUse(at: string | null, now: Date): string {
  if (at === null) return 'Never';
  const ago = now.getTime() - Date.parse(at);
  if (ago < HOUR_MS) return 'In the last hour';
  if (ago < DAY_MS) return 'In the last 24 hours';
  const days = Math.floor(ago / DAY_MS);
  return days === 1 ? '1 to 2 days ago' : `${days} days ago`;
}
