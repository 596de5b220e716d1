import { ANNOTATIONS } from '#crds/api-group.ts';
import type { Reason } from '#crds/conditions.ts';
import { failureReasonOf } from '#crds/job-failures.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import {
  type Failure,
  isFinished,
  type JobWebhookState,
  type WebhookState,
  type ZipJob,
  type ZipJobSpec,
  type ZipJobStatus,
  type ZipResult,
} from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import { storedBytesOf } from '#runtime/project-limits/stored-bytes.ts';

type ListedStatus = Pick<ZipJobStatus, 'phase' | 'reason' | 'startedAt' | 'finishedAt' | 'progress'> & {
  /** The log of each endpoint has only the last delivery. */
  readonly webhook?: JobWebhookState;
  readonly result?: Pick<ZipResult, 'bytes'>;
  readonly failure?: Pick<Failure, 'code'>;
};

/** What the dashboard keeps of each ZipJob, to list and count them. The page of one job reads the ZipJob. */
export interface ListedJob {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'resourceVersion' | 'creationTimestamp'>;
  readonly spec: Pick<ZipJobSpec, 'bucketRef' | 'key' | 'sourceBuckets'>;
  readonly status: ListedStatus;
  /** Number of its sources. */
  readonly files: number;
  /** Of the ZipJob and its file list, as they count against the limit of the project. */
  readonly storedBytes: number;
  /** Name of the token that created it. Absent for a job that the API did not create. */
  readonly createdBy?: string;
  /** Name of the job that it reruns. */
  readonly rerunOf?: string;
}

/** Keys of the test archives that the first steps create. */
export const TEST_PREFIX = 'zipjobs-test/';

export function isTestArchive({ spec }: Pick<ListedJob, 'spec'>): boolean {
  return spec.key.startsWith(TEST_PREFIX);
}

/** What the controller reports of an unfinished job that neither waits nor fails. */
const NORMAL_REASONS: readonly string[] = [
  'Queued',
  'JobCreated',
  'PodStarting',
  'Running',
  'VerifiedInStore',
] satisfies readonly Reason[];

/** What an unfinished job waits for; while nothing holds it, the failure of its last attempt. */
function delayOf({ phase, reason = '', failure }: ListedStatus): string {
  if (reason !== '' && !NORMAL_REASONS.includes(reason)) return reason;
  return phase === 'Finalizing' ? '' : (failure?.code ?? '');
}

/** Why a job waits, makes no progress, ends, failed or was cancelled, as a code; otherwise empty. */
export function reasonOf({ status }: Pick<ListedJob, 'status'>): string {
  if (!isFinished({ status })) return delayOf(status);
  const code = failureReasonOf(status) ?? '';
  return code === status.phase ? '' : code;
}

/** Why a failed job failed, also if the reason only repeats the state. */
export function failureReason({ status }: Pick<ListedJob, 'status'>): string {
  return failureReasonOf(status) ?? 'Unknown';
}

function lastDelivery<T extends WebhookState>(delivery: T): T {
  return delivery.log === undefined ? delivery : { ...delivery, log: delivery.log.slice(-1) };
}

function lastDeliveries({ endpoints, ...webhook }: JobWebhookState): JobWebhookState {
  return { ...lastDelivery(webhook), ...(endpoints && { endpoints: endpoints.map(lastDelivery) }) };
}

function statusOf(status: ZipJobStatus): ListedStatus {
  const { phase, reason, startedAt, finishedAt, progress, webhook, result, failure } = status;
  return defined({
    phase,
    reason,
    startedAt,
    finishedAt,
    // A succeeded job is shown with its result.
    progress: phase === 'Succeeded' ? undefined : progress,
    webhook: webhook && lastDeliveries(webhook),
    result: result && { bytes: result.bytes },
    failure: failure && { code: failure.code },
  });
}

function specOf({ bucketRef, key, sourceBuckets }: ZipJobSpec): ListedJob['spec'] {
  return { bucketRef: { name: bucketRef.name }, key, ...(sourceBuckets && { sourceBuckets }) };
}

export function toListedJob(job: ZipJob): ListedJob {
  const { name, namespace, uid, resourceVersion, creationTimestamp, annotations } = job.metadata;
  return defined({
    metadata: defined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: specOf(job.spec),
    status: statusOf(job.status ?? {}),
    files: fileCount(job),
    storedBytes: storedBytesOf(job),
    createdBy: annotations?.[ANNOTATIONS.createdBy],
    rerunOf: annotations?.[ANNOTATIONS.runAgainOf],
  });
}
