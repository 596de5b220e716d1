import type { Pod } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { type Caches, INDEXES } from './caches.ts';
import { isPodOf, type Owner } from './ownership.ts';

/** The cached pods of a Job. */
export function podsOf(pods: Pick<Caches['pods'], 'byIndex'>, job: Owner): readonly Pod[] {
  if (job.uid === undefined) return [];
  return pods.byIndex(INDEXES.jobUid, job.namespace, job.uid).filter((pod) => isPodOf(pod, job));
}

/**
 * The live pods of a Job, without those of an earlier Job of the same name, and without those that others gave its label: their
 * results say nothing about this Job.
 */
export async function listPods(pods: Pick<ObjectClient<Pod>, 'list'>, job: Owner): Promise<readonly Pod[]> {
  const labelSelector = `batch.kubernetes.io/job-name=${job.name}`;
  const found = await pods.list({ namespace: job.namespace, labelSelector });
  return found.filter((pod) => isPodOf(pod, job));
}
