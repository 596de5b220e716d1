/**
 * Aborts unrecorded uploads of this job: the response to the start was lost, or the pod was killed before it could
 * record the ID. Such an upload has no parts, because parts are sent only after the ID was recorded.
 *
 * A listing does not contain the metadata, so our uploads are identified by its other fields. An upload is aborted only
 * if it has exactly this key, no parts, the same initiator as an upload that is certainly ours, was started no later than
 * that upload, and in the window in which the job may have started it. That is no evidence where other jobs use the same
 * bucket with the same credentials: there, nothing is aborted.
 */
import { retry } from '#runtime/time/retry.ts';
import { abortUpload, hasResponse } from './abort-upload.ts';
import type { ListedUpload } from './list-uploads.ts';
import { type RecoveryDeps, untilNextCheck } from './recover-upload.ts';
import type { UploadRef } from './store.ts';

/** Times of the store's clock, in milliseconds since 1970. */
export interface StartWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Sweep {
  /** An upload of this job. It must be listed too, or nothing is aborted. */
  readonly own: UploadRef;
  /** When the job may have started an upload without recording it. Undefined if the store's time is not known. */
  readonly window: () => StartWindow | undefined;
  /** Whether another job may write the same object with the same credentials. */
  readonly isShared: boolean;
  /** The upload certainly exists, so a listing without it is not up to date. */
  readonly ownExists: boolean;
}

/**
 * `unreported`: an upload may remain. `unlisted`: our own upload is not listed, so others cannot be identified. `unreachable`: the
 * store did not respond, so an upload may remain that a later sweep finds.
 */
export type Swept = 'swept' | 'unreported' | 'unlisted' | 'unreachable';

/** Some listings report only whole seconds. */
function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

function isSuspect(upload: ListedUpload, own: ListedUpload, { fromMs, toMs }: StartWindow): boolean {
  const { initiated, initiator, uploadId } = upload;
  if (uploadId === own.uploadId || initiated === undefined || own.initiated === undefined) return false;
  const atMs = initiated.getTime();
  const isInWindow = atMs >= secondOf(fromMs) && atMs <= toMs;
  return initiator === own.initiator && isInWindow && initiated <= own.initiated;
}

/** The listing with our own upload; undefined if it is not listed. */
async function listWithOwn(deps: RecoveryDeps, { own, ownExists }: Sweep) {
  const { store, signal } = deps;
  const giveUpAt = performance.now() + (ownExists ? deps.consistencyMs : 0);
  for (;;) {
    const isLast = performance.now() >= giveUpAt;
    const listed = await retry(() => store.listUploads(own.key, signal), deps.retryPolicy(), signal);
    const mine = listed.find(({ uploadId }) => uploadId === own.uploadId);
    if (mine) return { listed, mine };
    if (isLast) return undefined;
    await untilNextCheck(deps);
  }
}

async function sweep(deps: RecoveryDeps, of: Sweep): Promise<Swept> {
  const { store, signal, log } = deps;
  const found = await listWithOwn(deps, of);
  if (!found) return 'unlisted';
  const others = found.listed.filter(({ uploadId }) => uploadId !== of.own.uploadId);
  if (others.length === 0) return 'swept';
  const window = of.window();
  if (!window) return 'unreported';
  let aborted = 0;
  for (const upload of others) {
    if (!isSuspect(upload, found.mine, window)) continue;
    function look() {
      return store.lookAtUpload(upload, signal);
    }
    if ((await retry(look, deps.retryPolicy(), signal)) !== 'empty') continue;
    if (of.isShared) return 'unreported';
    await abortUpload(deps, upload);
    aborted += 1;
  }
  if (aborted > 0) log.info({ key: of.own.key, aborted }, 'aborted unrecorded uploads');
  return 'swept';
}

/** Never throws. If listing is not permitted, only the bucket's lifecycle rule can remove unfinished uploads. */
export async function sweepUploads(deps: RecoveryDeps, of: Sweep): Promise<Swept> {
  try {
    return await sweep(deps, of);
  } catch (error) {
    deps.log.info({ err: error }, 'the store does not report whether unrecorded uploads of the key remain');
    return hasResponse(error) ? 'unreported' : 'unreachable';
  }
}
