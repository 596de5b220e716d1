/**
 * The histogram `duration_counts` of `zipjobs.usage_hours`: the number of jobs whose duration is at most each bound, but above the
 * one before, and last of those above all bounds. Jobs that never ran are not counted. Bounds may only be appended: stored counts
 * refer to their positions, and a shorter list counts as zero behind its end.
 */
export const DURATION_BOUNDS_MS: readonly number[] = [
  1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400,
].map((seconds) => seconds * 1000);

/** Position of a duration in `duration_counts`. */
export function durationBucket(durationMs: number): number {
  const at = DURATION_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
  return at === -1 ? DURATION_BOUNDS_MS.length : at;
}
