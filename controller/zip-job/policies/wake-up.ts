import type { Step } from '../observation.ts';

/** The step, looked at again after `ms` at the latest; as it is without a time. */
export const atTheLatest = (step: Step, ms: number | undefined): Step =>
  ms === undefined ? step : { ...step, requeueAfterMs: Math.min(ms, step.requeueAfterMs ?? ms) };
