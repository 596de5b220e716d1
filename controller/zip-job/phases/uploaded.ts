import type { Situation, Step } from '../observation.ts';
import { withCondition } from '../owned-status.ts';
import { resultOf, verifyResult } from '../policies/result.ts';
import { finish } from './ending.ts';
import { recordExit } from './exit.ts';

/**
 * The active pod wrote its result after it had published and verified the archive, so the job finishes whatever happens to
 * the pod now. Only the record of the attempt waits for the exit. Undefined while there is no result.
 */
export function uploaded(s: Situation): Step | undefined {
  const { zipJob } = s.seen;
  const result = resultOf(zipJob);
  if (!result) return undefined;
  const status = withCondition(recordExit(s), 'Recovered', {
    status: 'True',
    reason: 'Recovered',
    message: 'The archive is complete.',
    now: s.now,
  });
  return finish(s, status, verifyResult(zipJob, result));
}
