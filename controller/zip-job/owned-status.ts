import {
  type Condition,
  type ConditionType,
  findCondition,
  REASONS,
  type Reason,
  setCondition,
  shorten,
} from '#crds/conditions.ts';
import {
  type AttemptUpload,
  apiStatusOf,
  type Phase,
  type UploadState,
  type ZipJob,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { OwnedStatus } from './observation.ts';

const UNRECORDED_RESULT: Reason = 'VerifiedInStore';

function conditionIs(
  conditions: readonly Condition[] | undefined,
  type: ConditionType,
  want: { readonly status: Condition['status']; readonly reason?: Reason },
): boolean {
  const condition = findCondition(conditions, type);
  return condition?.status === want.status && (want.reason === undefined || condition.reason === want.reason);
}

export function isTrue(status: OwnedStatus, type: ConditionType, reason?: Reason): boolean {
  return conditionIs(status.conditions, type, { status: 'True', ...(reason && { reason }) });
}

/** True from the deactivation of a pod until it is certain that it cannot publish an archive. */
export function isRecovering(status: OwnedStatus): boolean {
  return conditionIs(status.conditions, 'Recovered', { status: 'False', reason: 'Recovering' });
}

/** The status fields that the controller owns. Every apply must contain all of them. */
export function ownedStatus(status: ZipJobStatus | undefined): OwnedStatus {
  const {
    progress: _progress,
    upload: _upload,
    failure: _failure,
    sourceCheck: _sourceCheck,
    result,
    ...own
  } = status ?? {};
  const verified = status?.reason === UNRECORDED_RESULT || conditionIsVerified(status);
  return verified && result ? { ...own, result } : own;
}

function conditionIsVerified(status: ZipJobStatus | undefined): boolean {
  return conditionIs(status?.conditions, 'Complete', { status: 'True', reason: UNRECORDED_RESULT });
}

export interface ConditionNote {
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message?: string;
}

function sentenceOf(reason: string): string {
  const entry = Object.entries(REASONS).find(([name]) => name === reason);
  return entry?.[1] ?? reason;
}

/** Sets one condition; the message defaults to the text of its reason. */
export function withCondition(
  status: OwnedStatus,
  type: ConditionType,
  note: ConditionNote & { readonly now: Date },
): OwnedStatus {
  const observedGeneration = defined({ observedGeneration: status.observedGeneration });
  const change = {
    type,
    status: note.status,
    reason: note.reason,
    message: shorten(note.message ?? sentenceOf(note.reason)),
    ...observedGeneration,
  };
  return { ...status, conditions: setCondition(status.conditions, change, note.now) };
}

/** Sets a condition to False if it is True. Does not add a missing condition. */
export function withoutCondition(
  status: OwnedStatus,
  type: ConditionType,
  note: { readonly reason: string; readonly message?: string; readonly now: Date },
): OwnedStatus {
  return isTrue(status, type) ? withCondition(status, type, { status: 'False', ...note }) : status;
}

export function withPhase(
  status: OwnedStatus,
  phase: Phase,
  why: { readonly reason: string; readonly message?: string },
): OwnedStatus {
  return {
    ...status,
    phase,
    apiStatus: apiStatusOf(phase),
    reason: why.reason,
    message: shorten(why.message ?? sentenceOf(why.reason)),
  };
}

/** The upload that a pod recorded, if any. The zipper's fields belong to the pod that wrote `progress` last. */
export function uploadOf(zipJob: Pick<ZipJob, 'status'>, podUid: string): UploadState | undefined {
  return zipJob.status?.progress?.podUid === podUid ? zipJob.status.upload : undefined;
}

/** What records of attempts keep. The lists of the contents can be long, and the rest is needed only until the attempt is recovered. */
export function attemptUpload(upload: UploadState): AttemptUpload {
  const { uploadId, owner, state, partSize, parts, checkpoint } = upload;
  return { uploadId, ...defined({ owner }), state, partSize, ...defined({ parts, checkpoint }) };
}

/** True once the active pod has written its first progress. */
export function hasStarted(zipJob: ZipJob): boolean {
  const podUid = zipJob.status?.job?.podUid;
  return podUid !== undefined && zipJob.status?.progress?.podUid === podUid;
}
