import { findCondition } from '#crds/conditions.ts';
import { timeOf } from '../../cluster/times.ts';
import type { OwnedStatus, Situation } from '../observation.ts';
import { isTrue, uploadOf } from '../owned-status.ts';

/** How long the active pod has run, by the condition: its creation may be long before its first progress. */
function ranMs({ conditions }: OwnedStatus, now: Date): number {
  const since = timeOf(findCondition(conditions, 'Running')?.lastTransitionTime);
  return since === undefined ? 0 : now.getTime() - since;
}

/** A ZipCheckpoint is possible, and there is none yet. */
function mayHaveCheckpoint({ seen, config }: Situation, { checkpointed }: OwnedStatus): boolean {
  const { zipJob, isCheckpointRefused } = seen;
  return (
    config.resume && checkpointed === undefined && isCheckpointRefused !== true && zipJob.spec.sha256 !== true
  );
}

function uploads({ seen: { zipJob } }: Situation, { job }: OwnedStatus): boolean {
  return job?.podUid !== undefined && uploadOf(zipJob, job.podUid)?.state === 'open';
}

function isLarge({ seen, now, config }: Situation, status: OwnedStatus): boolean {
  const { bytesUploaded = 0 } = seen.zipJob.status?.progress ?? {};
  return bytesUploaded >= config.resumeFromBytes || ranMs(status, now) >= config.resumeFromSeconds * 1000;
}

/**
 * True if a job that runs with this status gets a ZipCheckpoint now. Small jobs never do. Nor do those with a hash of the whole archive,
 * whose state cannot be passed on.
 */
export function wantsCheckpoint(s: Situation, status: OwnedStatus): boolean {
  return (
    mayHaveCheckpoint(s, status) && isTrue(status, 'Running') && uploads(s, status) && isLarge(s, status)
  );
}
