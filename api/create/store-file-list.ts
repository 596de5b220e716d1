import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';
import type { FileList } from '#runtime/zip-request/file-list.ts';
import { serviceUnavailable } from '../errors/api-error.ts';
import type { ApiMetrics } from '../metrics.ts';
import type { OwnerJob } from './claim-zip-job.ts';
import { type NoteRefusal, refusalOf } from './refusals.ts';
import { toFileListSecrets } from './to-zip-job.ts';

export interface StoreFileListDeps {
  readonly secretClient: Pick<ObjectClient<Secret>, 'create'>;
  readonly metrics: Pick<ApiMetrics, 'incompleteJobs'>;
  readonly log: Logger;
  readonly instance: string;
  readonly noteRefusal: NoteRefusal;
  readonly policy: RetryPolicy;
}

/** Secrets of one list that are sent at the same time. */
const CONCURRENT_SECRETS = 4;

/**
 * Creates the Secrets of a job's list; existing ones stay unchanged.
 * @throws ApiError service_unavailable, quota_exceeded, refused_by_policy
 */
export type StoreFileList = (job: OwnerJob, list: FileList, signal: AbortSignal) => Promise<void>;

export function createStoreFileList({
  secretClient,
  metrics,
  log,
  instance,
  noteRefusal,
  policy,
}: StoreFileListDeps): StoreFileList {
  return async (job, list, signal) => {
    // Encoded when it is sent: all Secrets of a large list at once would take several times its size.
    const secrets = toFileListSecrets(job, list, instance);
    async function createNext(): Promise<void> {
      for (const secret of secrets)
        await retry(() => secretClient.create(secret, { signal }), policy, signal);
    }
    try {
      await Promise.all(Array.from({ length: CONCURRENT_SECRETS }, createNext));
    } catch (error) {
      // A limit of the project or a rule of the cluster, no fault of the service.
      const refusal = refusalOf(error);
      if (refusal !== undefined) {
        noteRefusal(job.metadata.namespace, refusal);
        throw refusal;
      }
      metrics.incompleteJobs.inc();
      log.error(
        {
          err: error,
          project: job.metadata.namespace,
          zipJob: job.metadata.name,
          secrets: list.chunks.length,
        },
        'could not store the complete file list of a ZipJob; the caller receives 503',
      );
      throw serviceUnavailable(error);
    }
  };
}
