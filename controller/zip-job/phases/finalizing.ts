import type { Situation, Step } from '../observation.ts';
import { isRecovering } from '../owned-status.ts';
import { endJob, finalPhaseOf, finish } from './ending.ts';
import { recovering } from './recovering.ts';

function outcomeOf(s: Situation): { reason: string; message: string } {
  return {
    reason: s.status.reason ?? 'Internal',
    message: s.status.message ?? '',
  };
}

/** Phase Finalizing: reason and message contain the outcome. Only a complete archive in the store can still change it. */
export function finalizing(s: Situation): Step {
  const intended = outcomeOf(s);
  if (finalPhaseOf(intended.reason) === 'Succeeded' || !isRecovering(s.status))
    return finish(s, s.status, intended);
  const result = recovering(s);
  if (result.kind === 'waiting') {
    const actions = [...endJob(s, s.status), ...(result.step.actions ?? [])];
    return { ...result.step, actions };
  }
  const step = finish(s, result.status, result.outcome ?? intended);
  return {
    ...step,
    events: [...result.events, ...(step.events ?? [])],
    actions: [...result.actions, ...(step.actions ?? [])],
  };
}
