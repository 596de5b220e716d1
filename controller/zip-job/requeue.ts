import type { Step } from './observation.ts';

/** The step, requeued after at most `ms`; unchanged if `ms` is undefined. */
export function atTheLatest(step: Step, ms: number | undefined): Step {
  return ms === undefined ? step : { ...step, requeueAfterMs: Math.min(ms, step.requeueAfterMs ?? ms) };
}

/** Milliseconds until the earliest of the times, 0 for a past one; undefined without a time. */
export function msUntil(now: Date, ...times: readonly (Date | undefined)[]): number | undefined {
  const ahead = times.filter((time) => time !== undefined).map((time) => time.getTime() - now.getTime());
  return ahead.length === 0 ? undefined : Math.max(0, Math.min(...ahead));
}
