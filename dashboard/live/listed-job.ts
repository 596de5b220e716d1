import type { ObjectMeta } from '#crds/object-meta.ts';
import type { Failure, WebhookState, ZipJob, ZipJobSpec, ZipJobStatus, ZipResult } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';

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

const metadataOf = (metadata: ObjectMeta): ListedJob['metadata'] => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    name,
    namespace,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
  };
};

const lastDelivery = (webhook: WebhookState): WebhookState =>
  webhook.log === undefined ? webhook : { ...webhook, log: webhook.log.slice(-1) };

const statusOf = (status: ZipJobStatus): ListedStatus => {
  const { phase, reason, finishedAt, progress, webhook, result, failure } = status;
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(reason === undefined ? {} : { reason }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(progress === undefined ? {} : { progress }),
    ...(webhook === undefined ? {} : { webhook: lastDelivery(webhook) }),
    ...(result === undefined ? {} : { result: { bytes: result.bytes } }),
    ...(failure === undefined ? {} : { failure: { code: failure.code } }),
  };
};

export const toListedJob = (job: ZipJob): ListedJob => ({
  metadata: metadataOf(job.metadata),
  spec: { bucketRef: { name: job.spec.bucketRef.name }, key: job.spec.key },
  status: statusOf(job.status ?? {}),
  files: fileCount(job),
});
