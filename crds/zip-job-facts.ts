/** Values that all programs derive from a ZipJob in the same way. */
import { ANNOTATIONS, bucketResourceName, zipJobName } from './api-group.ts';
import { findCondition, REASONS, type Reason, rfc3339 } from './conditions.ts';
import { uidOf } from './object-meta.ts';
import { overallState } from './webhook-endpoints.ts';
import { hasActivePod, isFinished, SERVICES, type Service, SPEC_DEFAULTS, type ZipJob } from './zip-job.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAME_PREFIX = zipJobName('');

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Reverses zipJobName. Undefined for any other name. */
export function uuidOfName(name: string): string | undefined {
  const uuid = name.slice(NAME_PREFIX.length);
  return name.startsWith(NAME_PREFIX) && isUuid(uuid) ? uuid : undefined;
}

/** The ID in the API and in webhooks: the uuid in the name, or the object's uid if the API did not create the job. */
export function zipJobId(zipJob: Pick<ZipJob, 'metadata'>): string {
  return uuidOfName(zipJob.metadata.name) ?? uidOf(zipJob);
}

export interface JobBucket {
  readonly service: Service;
  /** Name of the bucket at the provider. */
  readonly name: string;
}

/**
 * Reverses bucketResourceName. Uses only the name, because cached or manually created objects may lack spec.service. A name
 * without the prefix of a service refers to no bucket, and is returned as it is.
 */
export function bucketOf({ spec }: Pick<ZipJob, 'spec'>): JobBucket {
  const { name } = spec.bucketRef;
  const service = SERVICES.find((one) => name.startsWith(bucketResourceName(one, '')));
  if (service === undefined) return { service: spec.service ?? SPEC_DEFAULTS.service, name };
  return { service, name: name.slice(bucketResourceName(service, '').length) };
}

interface StartedJob {
  readonly metadata: Pick<ZipJob['metadata'], 'creationTimestamp'>;
  readonly status?: Pick<NonNullable<ZipJob['status']>, 'startedAt' | 'finishedAt'>;
}

/**
 * Whether a job belongs to a project before the one that was created at this time, as after a ZipProject was deleted and created
 * again. No job starts without a ZipProject, so one that started before this project was created belongs to an older one, as does
 * one that ended without a start. A job may be created shortly before its project. All of these are times of the API server, in
 * whole seconds.
 */
export function isOfOlderProject({ metadata, status = {} }: StartedJob, projectCreatedAtMs: number): boolean {
  const startedAt = status.startedAt ?? status.finishedAt;
  return (
    Date.parse(metadata.creationTimestamp ?? '') < projectCreatedAtMs &&
    Date.parse(startedAt ?? '') <= projectCreatedAtMs
  );
}

/** Whether the stored file list of a job was deleted, because its URLs may be credentials: the job cannot run again. */
export function isFileListDeleted({ metadata }: Pick<ZipJob, 'metadata'>): boolean {
  return metadata.annotations?.[ANNOTATIONS.fileListDeletedAt] !== undefined;
}

/** Number of sources in the file list, inline or stored. */
export function fileCount({ spec }: Pick<ZipJob, 'spec'>): number {
  return spec.filesFrom?.count ?? spec.files?.length ?? 0;
}

/**
 * When the job was accepted. The controller copies it to the status; until then, the annotation of the API has it, if the API
 * created the job. Undefined for an object that the API server has not stored.
 */
export function acceptedAtOf({ metadata, status }: Pick<ZipJob, 'metadata' | 'status'>): string | undefined {
  if (status?.acceptedAt !== undefined) return status.acceptedAt;
  const texts = [metadata.annotations?.[ANNOTATIONS.acceptedAt], metadata.creationTimestamp];
  const time = texts.map((text) => new Date(text ?? '')).find((at) => !Number.isNaN(at.getTime()));
  return time && rfc3339(time);
}

/** Whether an endpoint of the webhook has not got the event yet, and may get it. */
export function isWebhookPending({ status }: Pick<ZipJob, 'status'>): boolean {
  return status?.webhook !== undefined && overallState(status.webhook) === 'Pending';
}

/** Whether the status of a finished job still changes: its webhook is pending, or its pod has not exited. */
export function awaitsWebhookOrExit({ status = {} }: Pick<ZipJob, 'status'>): boolean {
  return isWebhookPending({ status }) || hasActivePod({ status });
}

/** Whether the recovery of an attempt cannot continue. The condition then says what it waits for. */
export function awaitsRecovery({ status }: Pick<ZipJob, 'status'>): boolean {
  const recovered = findCondition(status?.conditions, 'Recovered');
  return recovered?.reason === 'Recovering' && recovered.message !== REASONS.Recovering;
}

/** A job that has not finished this long after its deadline needs intervention, as does a pod this long after its result. */
export const OVERDUE_GRACE_MS = 600_000;

const NO_PROGRESS: Reason = 'NoProgress';
const NODE_SILENT: Reason = 'NodeSilent';
const RECOVERING: Reason = 'Recovering';

/** True if the pod of a finished job, which keeps its slot, should be gone by now. */
function isExitOverdue(zipJob: Pick<ZipJob, 'status'>, now: Date): boolean {
  const finishedMs = Date.parse(zipJob.status?.finishedAt ?? '');
  return hasActivePod(zipJob) && now.getTime() > finishedMs + OVERDUE_GRACE_MS;
}

function unfinishedReason(zipJob: Pick<ZipJob, 'status'>): string | undefined {
  const { status } = zipJob;
  const waiting = findCondition(status?.conditions, 'Waiting');
  if (waiting?.status === 'True') return waiting.reason;
  if (awaitsRecovery(zipJob)) return RECOVERING;
  return status?.phase === 'Running' && status.reason === NO_PROGRESS ? NO_PROGRESS : undefined;
}

/** Why a job does not continue although nothing of zipjobs holds it back; undefined if it continues, or waits for its turn. */
export function stuckReason(zipJob: Pick<ZipJob, 'status'>, now: Date): string | undefined {
  if (!isFinished(zipJob)) return unfinishedReason(zipJob);
  return isExitOverdue(zipJob, now) ? NODE_SILENT : undefined;
}
