/** The upload of a pod that is over, which the next pod continues. */
import {
  type AttemptUpload,
  type InheritedUpload,
  RESUME_REFUSALS,
  type UploadState,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import type { EventNote } from '../../reconciling/events.ts';
import { type EndedPod, isContinuable } from '../attempt.ts';
import type { OwnedStatus, Situation, Step } from '../observation.ts';
import { uploadOf, withCondition } from '../owned-status.ts';
import { giveUp } from './failure.ts';

/** What the active pod did with the upload of an earlier one. */
export interface Adoption {
  readonly kind: 'resumed' | 'refused';
  readonly podUid: string;
  /** The upload that the pod recorded. */
  readonly upload: UploadState;
}

/** Undefined if there is nothing to continue, if the pod has not decided yet, or if its decision is in the status. */
export function adoptionOf(status: ZipJobStatus): Adoption | undefined {
  const { inherits, job } = status;
  const podUid = job?.podUid;
  const upload = podUid === undefined ? undefined : uploadOf({ status }, podUid);
  if (!inherits || podUid === undefined || !upload || upload.state === 'discarded') return undefined;
  if (upload.uploadId !== inherits.uploadId) return { kind: 'refused', podUid, upload };
  return inherits.adoptedBy === podUid ? undefined : { kind: 'resumed', podUid, upload };
}

function sizeOf(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function resumedNote(name: string, { resumedParts = 0, resumedBytes = 0 }: UploadState): EventNote {
  const message = `pod ${name} continues the upload: ${resumedParts} parts, ${sizeOf(resumedBytes)} are kept`;
  return { type: 'Normal', reason: 'Resumed', message };
}

function refusedNote(name: string, { refusal }: UploadState): EventNote {
  const why = refusal === undefined ? 'The pod gave no reason.' : `${refusal}: ${RESUME_REFUSALS[refusal]}`;
  return { type: 'Warning', reason: 'ResumeRefused', message: `pod ${name} starts a new upload. ${why}` };
}

/** Where the credentials may not list parts, every later checkpoint would be in vain. */
function withoutInheritance(
  { inherits: _inherits, ...status }: OwnedStatus,
  { refusal }: UploadState,
): Pick<Step, 'status' | 'before'> {
  return refusal === 'PartsHidden'
    ? { status: { ...status, checkpointed: false }, before: [{ kind: 'deleteCheckpoint' }] }
    : { status };
}

/** Records what the active pod did with the upload of an earlier one. */
export function followAdoption({ seen, status }: Situation): Step {
  const adoption = adoptionOf(seen.zipJob.status ?? {});
  const { inherits } = status;
  if (!adoption || !inherits) return { status };
  const { podUid, upload } = adoption;
  const name = status.job?.podName ?? podUid;
  if (adoption.kind === 'refused')
    return { ...withoutInheritance(status, upload), events: [refusedNote(name, upload)] };
  const adopted = { ...inherits, adoptedBy: podUid, resumes: inherits.resumes + 1 };
  return { status: { ...status, inherits: adopted }, events: [resumedNote(name, upload)] };
}

function passedOn(
  { uploadId, partSize, checkpoint, owner }: AttemptUpload,
  before: InheritedUpload | undefined,
  { podUid }: EndedPod,
): InheritedUpload | undefined {
  if (checkpoint === undefined) return undefined;
  return { uploadId, owner: owner ?? podUid, partSize, checkpoint, resumes: before?.resumes ?? 0 };
}

/**
 * Passes the upload of the attempt that this status has just recorded to the next pod. Undefined if it must be recovered instead: nobody
 * can continue it, or the job ends.
 */
export function inherited(
  { seen, config, now }: Situation,
  job: Job,
  over: { readonly status: OwnedStatus; readonly ended: EndedPod },
): OwnedStatus | undefined {
  const { status, ended } = over;
  const upload = status.attempts?.at(-1)?.upload;
  if (!config.resume || status.checkpointed !== true || !isContinuable(seen.zipJob, ended)) return undefined;
  if (giveUp(seen.zipJob, job, { status, maxDisruptions: config.maxDisruptions })) return undefined;
  const inherits = upload && passedOn(upload, status.inherits, ended);
  if (!inherits) return undefined;
  return withCondition({ ...status, inherits }, 'Recovered', { status: 'True', reason: 'Inherited', now });
}

/** True if the next pod may not continue the upload after all, because RESUME was turned off. */
export function isDisinherited({ status, config }: Situation): boolean {
  return status.inherits !== undefined && !config.resume;
}

/** The upload that no pod is to continue any more is recovered like one that its pod left. */
export function withoutHeir(status: OwnedStatus, now: Date): OwnedStatus {
  return status.inherits
    ? withCondition(status, 'Recovered', { status: 'False', reason: 'Recovering', now })
    : status;
}
