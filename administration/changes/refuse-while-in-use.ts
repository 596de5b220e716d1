import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished } from '#crds/zip-job.ts';
import { firstOf } from '#runtime/collections/first-of.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { AdministrationError } from '../errors/administration-error.ts';
import { explainKubeError } from '../errors/explain-kube-error.ts';

/** Bounds the memory of a list. */
const PAGE_SIZE = 500;

interface NamesOfJobs {
  readonly unfinished: readonly string[];
  readonly finished: readonly string[];
}

/** Reads page by page and keeps only the names. */
async function jobsOf(kube: KubeClient, { metadata }: ZipBucket): Promise<NamesOfJobs> {
  const { namespace, name } = metadata;
  const definition = RESOURCES.zipJobs;
  const unfinished: string[] = [];
  const finished: string[] = [];
  const options = { namespace, fieldSelector: `spec.bucketRef.name=${name}`, pageSize: PAGE_SIZE };
  try {
    for await (const { items } of listPages(kube, definition, options))
      for (const job of items.map((item) => definition.decode(item)))
        (isFinished(job) ? finished : unfinished).push(job.metadata.name);
  } catch (error) {
    throw explainKubeError({ verb: 'list', resource: 'zipjobs.zipjobs.dev', namespace }, error);
  }
  return { unfinished, finished };
}

/** @throws AdministrationError InUse while jobs refer to the bucket, including finished jobs */
export async function refuseWhileInUse(kube: KubeClient, bucket: ZipBucket): Promise<void> {
  const { unfinished, finished } = await jobsOf(kube, bucket);
  if (unfinished.length + finished.length === 0) return;
  const names = (unfinished.length > 0 ? unfinished : finished).toSorted();
  const counts = `${unfinished.length} unfinished and ${finished.length} finished`;
  throw new AdministrationError(
    `Cannot delete bucket "${bucket.spec.bucketName}": jobs refer to it (${counts}), such as ${firstOf(names)}. Delete these jobs, wait until they expire, or force the deletion (--force), which makes unfinished jobs fail`,
    { code: 'InUse' },
  );
}
