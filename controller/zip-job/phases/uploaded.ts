import type { ZipResult } from '#crds/zip-job.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { isEnded, isLost } from '../../kube-state/pod-state.ts';
import { type EndedPod, withAttempt } from '../attempt.ts';
import type { Situation, Step } from '../observation.ts';
import { withCondition, withPhase } from '../owned-status.ts';
import { resultOf, verifyResult } from '../policies/result.ts';
import { endJob } from './ending.ts';

/** A zipper exits right after it writes its result. The controller waits this long for the exit. */
const EXIT_GRACE_PERIOD_MS = 30_000;

/** How long the pod may take to exit: deactivating it earlier would reject its last write. */
const gracePeriodMs = (s: Situation, pod: Pod | undefined): number => {
  if (!pod || isEnded(pod) || isLost(pod, s.now)) return 0;
  const { since = s.now } = s.seen.seenProgress ?? {};
  return since.getTime() + EXIT_GRACE_PERIOD_MS - s.now.getTime();
};

const complete = (s: Situation, ended: EndedPod, result: ZipResult): Step => {
  const { now, seen } = s;
  const { podUid: _podUid, ...job } = s.status.job ?? { name: '', uid: '' };
  const recorded = withAttempt({ ...s.status, job }, seen.zipJob, { ...ended, now });
  const status = withCondition(recorded, 'Recovered', {
    status: 'True',
    reason: 'Recovered',
    message: 'The archive is complete.',
    now,
  });
  return {
    status: withPhase(status, 'Finalizing', verifyResult(seen.zipJob, result)),
    actions: ended.pod && isEnded(ended.pod) ? [] : endJob(s, status),
  };
};

/**
 * The active pod wrote its result, so the archive is published whatever happens to the pod now. Undefined while there is
 * no result.
 */
export const uploaded = (s: Situation): Step | undefined => {
  const result = resultOf(s.seen.zipJob);
  const podUid = s.status.job?.podUid;
  if (!result || podUid === undefined) return undefined;
  const pod = s.seen.pods.find(({ metadata }) => metadata.uid === podUid);
  const waitMs = gracePeriodMs(s, pod);
  return waitMs > 0 ? { status: s.status, requeueAfterMs: waitMs } : complete(s, { podUid, pod }, result);
};
