/** A percentile of durations that are only known as counts per range. */
export interface Percentile {
  /** The middle of the range on a logarithmic scale. */
  readonly ms: number;
  /** The true value is between these, both included. */
  readonly fromMs: number;
  /** Absent for a range without an upper bound. */
  readonly toMs?: number;
}

/**
 * The range that contains the percentile, by nearest rank: with 100 jobs, p95 is the duration of the 95th. `upperMs` are the upper
 * bounds of the ranges, ascending; `counts` has one more, of the durations above. Undefined without jobs.
 */
export function percentileOf(
  counts: readonly number[],
  upperMs: readonly number[],
  share: number,
): Percentile | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(total * share));
  let before = 0;
  for (const [index, count] of counts.entries()) {
    before += count;
    if (total === 0 || before < rank) continue;
    const [fromMs, toMs] = [upperMs[index - 1] ?? 0, upperMs[index]];
    if (toMs === undefined) return { ms: fromMs, fromMs };
    return { ms: Math.round(fromMs === 0 ? toMs / 2 : Math.sqrt(fromMs * toMs)), fromMs, toMs };
  }
  return undefined;
}
