import type { ObjectMeta } from '#crds/object-meta.ts';
import type { Failure, WebhookState, ZipJob, ZipJobSpec, ZipJobStatus, ZipResult } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/optional.ts';

type ListedStatus = Pick<ZipJobStatus, 'phase' | 'reason' | 'finishedAt' | 'progress'> & {
  /** Its log has only the last delivery. */
  readonly webhook?: WebhookState;
  readonly result?: Pick<ZipResult, 'bytes'>;
  readonly failure?: Pick<Failure, 'code'>;
};

/** What the dashboard keeps of each ZipJob, to list and count them. The page of one job reads the ZipJob. */
export interface ListedJob {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'resourceVersion' | 'creationTimestamp'>;
  readonly spec: Pick<ZipJobSpec, 'bucketRef' | 'key'>;
  readonly status: ListedStatus;
  /** Number of its sources. */
  readonly files: number;
}

const lastDelivery = (webhook: WebhookState): WebhookState =>
  webhook.log === undefined ? webhook : { ...webhook, log: webhook.log.slice(-1) };

const statusOf = (status: ZipJobStatus): ListedStatus => {
  const { phase, reason, finishedAt, progress, webhook, result, failure } = status;
  return defined({
    phase,
    reason,
    finishedAt,
    // A succeeded job is shown with its result.
    progress: phase === 'Succeeded' ? undefined : progress,
    webhook: webhook && lastDelivery(webhook),
    result: result && { bytes: result.bytes },
    failure: failure && { code: failure.code },
  });
};

export const toListedJob = (job: ZipJob): ListedJob => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = job.metadata;
  return {
    metadata: defined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: { bucketRef: { name: job.spec.bucketRef.name }, key: job.spec.key },
    status: statusOf(job.status ?? {}),
    files: fileCount(job),
  };
};
