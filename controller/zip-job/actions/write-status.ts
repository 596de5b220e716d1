import type { ZipJob } from '#crds/zip-job.ts';
import { endpointOf } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { jobFacts } from '../job-facts.ts';
import type { Observation, OwnedStatus } from '../observation.ts';
import { countTransition } from '../transition-metrics.ts';
import type { ActOptions } from './act-options.ts';
import type { Fresh } from './outcome.ts';
import { guarded } from './versioned-write.ts';

function logMove({ log }: ActOptions, { zipJob: before }: Observation, after: ZipJob): void {
  const { phase, reason } = after.status ?? {};
  if (phase !== before.status?.phase)
    log.info({ ...jobFacts(after), phase, reason }, 'the phase of the job changed');
}

/** The delivery result is in the status: passes it on to the endpoint state and drops it. */
function noteDelivery(options: ActOptions, seen: Observation, after: ZipJob): void {
  if (seen.delivery.kind !== 'responded') return;
  options.dispatcher.acknowledge(objectKey(after));
  const { delivery, host } = seen.delivery.response;
  const { deliveryId, state, attempts } = after.status?.webhook ?? {};
  options.log.info(
    { ...jobFacts(after), webhook: { deliveryId, state, attempts, ...delivery } },
    'a webhook delivery was attempted',
  );
  const { webhook } = after.spec;
  if (webhook === undefined) return;
  const response = { endpoint: endpointOf(webhook), delivery, ...defined({ host }) };
  options.endpointNotes.add(after.metadata.namespace, response);
}

/** The only status write of a round. */
export async function writeStatus(
  options: ActOptions,
  seen: Observation,
  status: OwnedStatus,
): Promise<Fresh> {
  const fresh = await guarded(options, seen.zipJob, () => options.applyStatus(seen.zipJob, status));
  if ('zipJob' in fresh) {
    noteDelivery(options, seen, fresh.zipJob);
    const after = fresh.zipJob.status ?? {};
    logMove(options, seen, fresh.zipJob);
    const { namespace: project } = fresh.zipJob.metadata;
    const before = seen.zipJob.status ?? {};
    options.traces?.note(seen.zipJob, fresh.zipJob);
    countTransition(options.metrics, { project, before, after, now: options.clock.date() });
  }
  return fresh;
}
