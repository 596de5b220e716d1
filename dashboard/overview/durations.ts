import type { Percentile } from '#runtime/history/percentile.ts';
import { FORMAT } from '../ui/format.ts';

/** How long jobs took that succeeded. */
export interface Durations {
  readonly p50: Percentile;
  readonly p95: Percentile;
}

function nearestRank(sorted: readonly number[], share: number): Percentile {
  const ms = sorted[Math.max(1, Math.ceil(sorted.length * share)) - 1] ?? 0;
  return { ms, fromMs: ms, toMs: ms };
}

/** From every duration in milliseconds, so the percentiles are exact. Undefined without any. */
export function durationsOf(all: readonly number[]): Durations | undefined {
  if (all.length === 0) return undefined;
  const sorted = all.toSorted((a, b) => a - b);
  return { p50: nearestRank(sorted, 0.5), p95: nearestRank(sorted, 0.95) };
}

/** `1m 40s`: fits below a large figure. */
export function compactDuration(ms: number): string {
  return FORMAT.duration(ms)
    .replace(' min', 'm')
    .replaceAll(/ (?=[dhs]\b)/g, '');
}

/** The history counts only ranges of durations, so its values are not exact. */
export function durationText({ ms, fromMs, toMs }: Percentile): string {
  if (toMs === undefined) return `> ${compactDuration(fromMs)}`;
  if (ms < 1_000) return '< 1s';
  return fromMs === toMs ? compactDuration(ms) : `≈ ${compactDuration(ms)}`;
}
