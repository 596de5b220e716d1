import { FIELD_MANAGERS, GROUP_VERSION } from '#crds/api-group.ts';
import { objectKey } from '#runtime/kube/types.ts';
import type { Observation, OwnedStatus } from '../observation.ts';
import { countTransition } from '../transition-metrics.ts';
import type { ActOptions } from './act-options.ts';
import type { Fresh } from './outcome.ts';
import { guarded } from './versioned-write.ts';

/** The one status write of a pass. It names the version that the decision rests on: a decision about an older one is void. */
export const writeStatus = async (
  options: ActOptions,
  seen: Observation,
  status: OwnedStatus,
): Promise<Fresh> => {
  const { name, namespace, uid, resourceVersion } = seen.zipJob.metadata;
  const identity = {
    name,
    namespace,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const fresh = await guarded(options, seen.zipJob, () =>
    options.zipJobs.apply(
      { apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata: identity, status },
      { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
    ),
  );
  if ('zipJob' in fresh) {
    const key = objectKey(seen.zipJob);
    if (seen.delivery.kind === 'answered') {
      options.dispatcher.settle(key);
      const url = seen.zipJob.spec.webhook?.url;
      const { delivery } = seen.delivery.answer;
      if (url !== undefined) options.endpointNotes.add(seen.zipJob.metadata.namespace, { url, delivery });
    }
    const after = fresh.zipJob.status ?? {};
    countTransition(options.metrics, { before: seen.zipJob.status ?? {}, after, now: options.clock.date() });
  }
  return fresh;
};
