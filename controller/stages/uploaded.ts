import type { Situation, Step } from '../observation.ts';
import { timeOf, withCondition, withPhase } from '../owned-status.ts';
import { isEnded } from '../pod-state.ts';
import { withAttempt } from '../policies/attempt.ts';
import { resultOf, verifyResult } from '../policies/result.ts';
import { endJob } from './ending.ts';

/** A zipper exits right after its result; one that does not is not waited for longer. */
const EXIT_PATIENCE_MS = 30_000;

/**
 * The pod in charge wrote its result, so the archive is published whatever happens to the pod now. Undefined while there is
 * no result, or while the pod is given the time to exit: taken out of charge earlier, its last write would be refused.
 */
export const uploaded = (s: Situation): Step | undefined => {
  const { zipJob, pods } = s.seen;
  const result = resultOf(zipJob);
  const podUid = s.status.job?.podUid;
  if (!result || !s.status.job || podUid === undefined) return undefined;
  const pod = pods.find(({ metadata }) => metadata.uid === podUid);
  const writtenAt = timeOf(zipJob.status?.progress?.updatedAt) ?? 0;
  const waitMs = writtenAt + EXIT_PATIENCE_MS - s.now.getTime();
  if (pod && !isEnded(pod) && waitMs > 0) return { status: s.status, requeueAfterMs: waitMs };
  const { podUid: _podUid, ...job } = s.status.job;
  const recorded = withAttempt({ ...s.status, job }, zipJob, { podUid, pod, now: s.now });
  const settled = withCondition(recorded, 'Settled', {
    status: 'True',
    reason: 'Settled',
    message: 'The archive is complete.',
    now: s.now,
  });
  const hung = { ...s, status: settled };
  return {
    status: withPhase(settled, 'Finalizing', verifyResult(zipJob, result)),
    actions: pod && isEnded(pod) ? [] : endJob(hung, settled),
  };
};
