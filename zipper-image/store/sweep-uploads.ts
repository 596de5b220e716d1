/**
 * Aborts uploads that this job started and nobody knows of: the answer to the start was lost, or the pod was killed before it
 * could record the id. Such an upload has no part, because parts are sent only after the id was recorded.
 *
 * A listing does not tell the metadata, so an upload of somebody else must be told from ours by what it does tell. Aborted
 * is only what has this very key, no part, the initiator of an upload that is surely ours, and was started neither before
 * this job was created nor after that upload.
 */
import { retry } from '#runtime/retry.ts';
import { abortUpload, type RecoveryDeps } from './recover-upload.ts';
import type { ListedUpload, UploadRef } from './store.ts';

export interface Sweep {
  /** An upload of this job; it must be listed too, or nothing is aborted. */
  readonly own: UploadRef;
  /** Before this nothing can be of this job. */
  readonly since: Date;
}

const isSuspect = (upload: ListedUpload, own: ListedUpload, since: Date): boolean => {
  const { initiated, initiator, uploadId } = upload;
  if (uploadId === own.uploadId || initiated === undefined || own.initiated === undefined) return false;
  return initiator === own.initiator && initiated >= since && initiated <= own.initiated;
};

/** Whole seconds are all that some listings tell. */
const secondOf = (date: Date): Date => new Date(Math.floor(date.getTime() / 1000) * 1000);

/** Undefined when our own upload is not listed. */
const sweep = async (deps: RecoveryDeps, { own, since }: Sweep): Promise<number | undefined> => {
  const { store, signal } = deps;
  const listed = await retry(() => store.listUploads(own.key, signal), deps.retryPolicy(), signal);
  const mine = listed.find(({ uploadId }) => uploadId === own.uploadId);
  if (!mine) return undefined;
  let aborted = 0;
  for (const upload of listed) {
    if (!isSuspect(upload, mine, secondOf(since))) continue;
    if ((await store.lookAtUpload(upload, signal)) !== 'empty') continue;
    await abortUpload(deps, upload);
    aborted += 1;
  }
  return aborted;
};

/**
 * Never throws: where listing is not allowed the bucket's rule for unfinished uploads has to do.
 * `untold`: one may be left. `unlisted`: the own upload is over, so nothing could be told from those of others.
 */
export const sweepUploads = async (
  deps: RecoveryDeps,
  of: Sweep,
): Promise<'swept' | 'unreported' | 'unlisted'> => {
  const { log } = deps;
  try {
    const aborted = await sweep(deps, of);
    if (aborted === undefined) return 'unlisted';
    if (aborted > 0) log.info({ key: of.own.key, aborted }, 'aborted unrecorded uploads');
    return 'swept';
  } catch (error) {
    log.info({ err: error }, 'the store does not report whether unrecorded uploads of the key remain');
    return 'unreported';
  }
};
