import { inBatches } from '#runtime/collections/in-batches.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { jobFacts } from '../zip-job/job-facts.ts';
import { ownedStatus, withCondition } from '../zip-job/owned-status.ts';
import type { BatchJob, StoreBatchOptions, Stored } from './batch.ts';

/** Counts a job that the history will never have: once its condition is written, because until then it is tried again. */
function noteRefusal({ metrics, log }: StoreBatchOptions, { zipJob, refusal }: BatchJob): void {
  if (!refusal) return;
  const reason = refusal.reason === 'ProjectNotFound' ? 'no_project' : 'refused';
  metrics.history.unstored.inc({ reason });
  log.warn({ ...jobFacts(zipJob), reason }, 'the history will never have a finished job');
}

async function writeCondition(options: StoreBatchOptions, job: BatchJob): Promise<Stored> {
  const { key, zipJob, isFinal, refusal } = job;
  if (job.isDeferred === true) return { key, kind: 'later' };
  // No write of its own: the webhook or the exit of the pod is written soon, and the row after it.
  if (!isFinal) return { key, kind: 'early' };
  const note = refusal
    ? ({ status: 'False', ...refusal } as const)
    : ({ status: 'True', reason: 'Archived' } as const);
  const status = withCondition(ownedStatus(zipJob.status), 'Archived', {
    ...note,
    now: options.clock.date(),
  });
  try {
    await options.applyStatus(zipJob, status);
    noteRefusal(options, job);
    return { key, kind: 'done' };
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return { key, kind: 'done' };
    if (isKubeError(error, 'Conflict')) return { key, kind: 'changed' };
    options.metrics.history.writeFailures.inc({ reason: 'ConditionFailed' });
    options.log.warn(
      { err: error, ...jobFacts(zipJob) },
      'could not write that a job is archived, will retry',
    );
    return { key, kind: 'later' };
  }
}

/** Writes the condition `Archived` of every job whose status is final, to the version that was stored. */
export function writeConditions(
  options: StoreBatchOptions,
  jobs: readonly BatchJob[],
): Promise<readonly Stored[]> {
  return inBatches(jobs, options.config.archiveConcurrency, (job) => writeCondition(options, job));
}
