import type { Attempt } from '#crds/zip-job.ts';
import { ownJob } from '../../cluster/job-state.ts';
import { terminationMessageOf } from '../../cluster/termination-message.ts';
import type { Observation, Situation } from '../observation.ts';
import { isOutOfTime } from './deadline.ts';
import { interruption } from './interruption.ts';

/**
 * Whether recovery completes the upload of an attempt that committed, also of the last one. If the job must not have an archive any
 * more, it aborts the upload; an archive that is there already counts in any case.
 */
export function mayFinish({ seen, status, now, config }: Situation): boolean {
  const { activeDeadlineSeconds } = config;
  return (
    interruption(seen) === undefined &&
    status.reason !== 'DeadlineExceeded' &&
    !isOutOfTime(seen.zipJob, ownJob(seen), { now, activeDeadlineSeconds })
  );
}

/** Whether a pod of the recovery Job may have asked the store to publish the archive: it says so, or was killed. */
export function mayHaveCompleted({ recovery }: Pick<Observation, 'recovery'>, { upload }: Attempt): boolean {
  if (!recovery || upload?.state !== 'committing') return false;
  const messages = recovery.pods.map(terminationMessageOf);
  return messages.length === 0 || messages.some((message) => !message || message.completeSent === true);
}
