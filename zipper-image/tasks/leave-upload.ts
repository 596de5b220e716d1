/**
 * What a pod that fails does with its upload. One from which the next pod can continue is kept: if the pod was stopped, and after a
 * failure that another attempt may not have. A pod that is no longer active must not touch it. Every other upload is aborted.
 */
import { WHOLE_PART_MS } from '../store/part-request.ts';
import type { OpenedUpload, Work } from './zip-work.ts';

/** Together less than the grace period of the pod, with the write of the failure. */
const PARTS_LIMIT_MS = 15_000 - WHOLE_PART_MS;
const CHECKPOINT_LIMIT_MS = 5_000;
const RECORD_LIMIT_MS = 10_000;

/**
 * A pod that is no longer active was refused before it sent Complete, and its successor may continue the upload. So may that of a pod
 * which does not know whether it recorded `committing`; otherwise recovery completes it.
 */
function fateOf({ run, deps }: Work, { checkpoints, continuation }: OpenedUpload, error: Error) {
  const { code, retriable } = deps.toFailure(error);
  if (checkpoints.sequence === undefined) return 'abort';
  if (code === 'Superseded' || run.commit === 'recording') return 'leave';
  if (run.commit === 'recorded') return 'abort';
  // Bytes that are in the upload already are wrong, so another pod must fetch them again.
  const isWrong = code === 'SourceMismatch' || (code === 'SourceChanged' && continuation !== undefined);
  return retriable === true && !isWrong && run.isPastDeadline !== true ? 'keep' : 'abort';
}

/**
 * Records that nobody may continue the upload, before it is aborted: the abort of a pod that is killed may arrive while the next pod
 * continues it. False if that could not be recorded. Then recovery aborts it, or the next pod.
 */
async function isDiscarded({ deps, status, run }: Work, { recorded, checkpoints }: OpenedUpload) {
  if (checkpoints.sequence === undefined || run.commit === 'recorded') return true;
  try {
    const limit = AbortSignal.timeout(deps.lastWriteMs ?? RECORD_LIMIT_MS);
    await status.write({ upload: { ...recorded, state: 'discarded' } }, limit);
    return true;
  } catch (error) {
    deps.log.warn({ err: error }, 'could not record that the upload is given up, so it is not aborted here');
    return false;
  }
}

/** Never throws. */
export async function leaveUpload(work: Work, opened: OpenedUpload, error: Error): Promise<void> {
  const { upload, checkpoints } = opened;
  const fate = fateOf(work, opened, error);
  if (fate !== 'keep') {
    await checkpoints.stop();
    const mayAbort = fate === 'abort' && (await isDiscarded(work, opened));
    await (mayAbort ? upload.abandon() : upload.keep(0));
    return;
  }
  work.run.isKept = true;
  await upload.keep(PARTS_LIMIT_MS);
  const isComplete = await checkpoints.writeLast(CHECKPOINT_LIMIT_MS);
  work.deps.log.info({ isComplete, sequence: checkpoints.sequence }, 'the upload is left to the next pod');
}
