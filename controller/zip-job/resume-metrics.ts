import { type Attempt, type ZipJobStatus } from '#crds/zip-job.ts';
import type { ControllerMetrics } from '../metrics.ts';
import { uploadOf } from './owned-status.ts';
import { adoptionOf } from './policies/inheritance.ts';

/** The newest checkpoint of earlier pods. Their numbers go on from one pod to the next. */
function checkpointBefore({ inherits, attempts = [] }: ZipJobStatus): number {
  const known = attempts.map(({ upload }) => upload?.checkpoint ?? 0);
  return Math.max(inherits?.checkpoint ?? 0, ...known, 0);
}

function countCheckpoints(metrics: ControllerMetrics, before: ZipJobStatus, { podUid }: Attempt): void {
  const { checkpoint = 0, checkpointFailures = 0 } = uploadOf({ status: before }, podUid) ?? {};
  metrics.checkpointWrites.inc({ result: 'ok' }, Math.max(0, checkpoint - checkpointBefore(before)));
  metrics.checkpointWrites.inc({ result: 'failed' }, checkpointFailures);
}

/** Counts what one write of the status recorded: what the active pod did with an inherited upload, and the checkpoints of attempts. */
export function countResumes(
  metrics: ControllerMetrics,
  before: ZipJobStatus,
  recorded: { readonly after: ZipJobStatus; readonly attempts: readonly Attempt[] },
): void {
  for (const attempt of recorded.attempts) countCheckpoints(metrics, before, attempt);
  const adoption = adoptionOf(before);
  if (!adoption || recorded.after.reason === 'Restored') return;
  metrics.resumes.inc({ outcome: adoption.kind });
  if (adoption.kind === 'resumed') metrics.resumedBytes.inc(adoption.upload.resumedBytes ?? 0);
}
