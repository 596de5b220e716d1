import { uidOf } from '#crds/object-meta.ts';
import type { Event, Job, Pod } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { newestWarning, type PodRefusal } from './pod-waiting.ts';

/** Only Events say why a Job has no pod, and why a node creates no container. */
export async function findPodRefusal(
  events: Pick<ObjectClient<Event>, 'list'>,
  { metadata }: Job | Pod,
): Promise<PodRefusal | undefined> {
  const fieldSelector = `involvedObject.uid=${uidOf({ metadata })},type=Warning`;
  return newestWarning(await events.list({ namespace: metadata.namespace, fieldSelector }));
}
