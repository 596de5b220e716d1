import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished, UNFINISHED, type ZipJob } from '#crds/zip-job.ts';
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

/** Reads page by page. */
async function* jobsIn(kube: KubeClient, namespace: string, fieldSelector: string): AsyncGenerator<ZipJob> {
  const definition = RESOURCES.zipJobs;
  const pages = listPages(kube, definition, { namespace, fieldSelector, pageSize: PAGE_SIZE });
  for await (const { items } of pages) yield* items.map((item) => definition.decode(item));
}

/** Keeps only the names. No field selector finds the jobs that read files from a bucket. */
async function jobsOf(kube: KubeClient, { metadata }: ZipBucket): Promise<NamesOfJobs> {
  const { namespace, name } = metadata;
  const unfinished: string[] = [];
  const finished: string[] = [];
  try {
    for await (const job of jobsIn(kube, namespace, `spec.bucketRef.name=${name}`))
      (isFinished(job) ? finished : unfinished).push(job.metadata.name);
    for await (const job of jobsIn(kube, namespace, `spec.bucketRef.name!=${name},${UNFINISHED}`))
      if (job.spec.sourceBuckets?.includes(name) === true) unfinished.push(job.metadata.name);
  } catch (error) {
    throw explainKubeError({ verb: 'list', resource: 'zipjobs.zipjobs.dev', namespace }, error);
  }
  return { unfinished, finished };
}

/** @throws AdministrationError InUse while jobs write to the bucket, including finished jobs, or unfinished ones read from it */
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
