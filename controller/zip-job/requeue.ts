import type { Step } from './observation.ts';

/** The step, requeued after at most `ms`; unchanged if `ms` is undefined. */
export const atTheLatest = (step: Step, ms: number | undefined): Step =>
  ms === undefined ? step : { ...step, requeueAfterMs: Math.min(ms, step.requeueAfterMs ?? ms) };
