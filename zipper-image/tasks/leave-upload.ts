/**
 * What a pod that fails does with its upload. One from which the next pod can continue is kept: if the pod was stopped, and after a
 * failure that another attempt may not have. A pod that is no longer active must not touch it. Every other upload is aborted.
 */
import type { OpenedUpload, Work } from './zip-work.ts';

/** Together less than the grace period of the pod, with the write of the failure. */
const PARTS_LIMIT_MS = 15_000;
const CHECKPOINT_LIMIT_MS = 5_000;

/** A pod that is no longer active was refused before it sent Complete, and its successor may continue the upload. */
function fateOf({ run, deps }: Work, { checkpoints, continuation }: OpenedUpload, error: Error) {
  const { code, retriable } = deps.toFailure(error);
  if (checkpoints.sequence === undefined) return 'abort';
  if (code === 'Superseded') return 'leave';
  if (run.isCommitting === true) return 'abort';
  const isChanged = code === 'SourceChanged' && continuation !== undefined;
  return retriable === true && !isChanged && run.isPastDeadline !== true ? 'keep' : 'abort';
}

/** Never throws. */
export async function leaveUpload(work: Work, opened: OpenedUpload, error: Error): Promise<void> {
  const { upload, checkpoints } = opened;
  const fate = fateOf(work, opened, error);
  if (fate === 'abort') {
    await checkpoints.stop();
    await upload.abandon();
    return;
  }
  if (fate === 'leave') {
    await checkpoints.stop();
    await upload.keep(0);
    return;
  }
  work.run.isKept = true;
  await upload.keep(PARTS_LIMIT_MS);
  const isComplete = await checkpoints.writeLast(CHECKPOINT_LIMIT_MS);
  work.deps.log.info({ isComplete, sequence: checkpoints.sequence }, 'the upload is left to the next pod');
}
