/**
 * Aborts unrecorded uploads of this job: the response to the start was lost, or the pod was killed before it could
 * record the ID. Such an upload has no parts, because parts are sent only after the ID was recorded.
 *
 * A listing does not contain the metadata, so our uploads are identified by its other fields. An upload is aborted only
 * if it has exactly this key, no parts, the same initiator as an upload that is certainly ours, and was started neither
 * before this job was created nor after that upload.
 */
import { retry } from '#runtime/retry.ts';
import { abortUpload } from './abort-upload.ts';
import { type FindDeps, untilNextCheck } from './find-published.ts';
import type { ListedUpload } from './list-uploads.ts';
import type { UploadRef } from './store.ts';

export interface Sweep {
  /** An upload of this job. It must be listed too, or nothing is aborted. */
  readonly own: UploadRef;
  /** Older uploads cannot belong to this job. */
  readonly since: Date;
  /** The upload certainly exists, so a listing without it is not up to date. */
  readonly ownExists: boolean;
}

const isSuspect = (upload: ListedUpload, own: ListedUpload, since: Date): boolean => {
  const { initiated, initiator, uploadId } = upload;
  if (uploadId === own.uploadId || initiated === undefined || own.initiated === undefined) return false;
  return initiator === own.initiator && initiated >= since && initiated <= own.initiated;
};

/** Some listings report only whole seconds. */
const secondOf = (date: Date): Date => new Date(Math.floor(date.getTime() / 1000) * 1000);

/** Undefined if our own upload is not listed. */
const sweep = async (deps: FindDeps, { own, since, ownExists }: Sweep): Promise<number | undefined> => {
  const { store, signal } = deps;
  const giveUpAt = performance.now() + (ownExists ? deps.consistencyMs : 0);
  const list = () => retry(() => store.listUploads(own.key, signal), deps.retryPolicy(), signal);
  const isOwn = ({ uploadId }: ListedUpload) => uploadId === own.uploadId;
  let listed = await list();
  while (!listed.some(isOwn) && performance.now() < giveUpAt) {
    await untilNextCheck(deps);
    listed = await list();
  }
  const mine = listed.find(isOwn);
  if (!mine) return undefined;
  let aborted = 0;
  for (const upload of listed) {
    if (!isSuspect(upload, mine, secondOf(since))) continue;
    const look = () => store.lookAtUpload(upload, signal);
    if ((await retry(look, deps.retryPolicy(), signal)) !== 'empty') continue;
    await abortUpload(deps, upload);
    aborted += 1;
  }
  return aborted;
};

/**
 * Never throws. If listing is not permitted, only the bucket's lifecycle rule can remove unfinished uploads.
 * `unreported`: an upload may remain. `unlisted`: our own upload is not listed, so others cannot be identified.
 */
export const sweepUploads = async (
  deps: FindDeps,
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
