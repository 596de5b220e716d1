import type { ZipJob } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { fileListBytesOf, storedBytesOf } from '#runtime/project-limits/stored-bytes.ts';

/** What the API keeps of each ZipJob. */
export interface CachedJob {
  readonly metadata: Pick<ZipJob['metadata'], 'name' | 'namespace' | 'uid' | 'resourceVersion'>;
  /** Bytes of the job and of its file list in the store of the API server. */
  readonly bytes: number;
  /** Compressed bytes of its stored file list; absent if it has none. */
  readonly fileListBytes?: number;
}

export function toCachedJob(job: ZipJob): CachedJob {
  const { name, namespace, uid, resourceVersion } = job.metadata;
  return defined({
    metadata: defined({ name, namespace, uid, resourceVersion }),
    bytes: storedBytesOf(job),
    fileListBytes: fileListBytesOf(job) || undefined,
  });
}
