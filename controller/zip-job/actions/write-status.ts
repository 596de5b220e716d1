import { findEndpoint } from '#crds/webhook-endpoints.ts';
import type { JobEndpoint, WebhookState, ZipJob } from '#crds/zip-job.ts';
import { endpointOf } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { objectKey } from '#runtime/kube/types.ts';
import type { DeliveryResponse } from '../../webhook/dispatcher.ts';
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

/** The result of a delivery is in the status: passes it on to the state of the endpoint and drops it. */
function noteDelivery(
  options: ActOptions,
  after: ZipJob,
  { name, response: { delivery, host } }: { readonly name: string; readonly response: DeliveryResponse },
): void {
  options.dispatcher.acknowledge(objectKey(after), name);
  const { deliveryId, state, attempts } = findEndpoint<WebhookState>(after.status?.webhook, name) ?? {};
  options.log.info(
    { ...jobFacts(after), webhook: { endpoint: name, deliveryId, state, attempts, ...delivery } },
    'a webhook delivery was attempted',
  );
  const endpoint = findEndpoint<JobEndpoint>(after.spec.webhook, name);
  if (endpoint === undefined) return;
  const response = { name, endpoint: endpointOf(endpoint), delivery, ...defined({ host }) };
  options.endpointNotes.add(after.metadata.namespace, response);
}

function noteDeliveries(options: ActOptions, { deliveries }: Observation, after: ZipJob): void {
  for (const [name, delivery] of deliveries)
    if (delivery.kind === 'responded') noteDelivery(options, after, { name, response: delivery.response });
}

/** The only status write of a round. */
export async function writeStatus(
  options: ActOptions,
  seen: Observation,
  status: OwnedStatus,
): Promise<Fresh> {
  const fresh = await guarded(options, seen.zipJob, () => options.applyStatus(seen.zipJob, status));
  if ('zipJob' in fresh) {
    noteDeliveries(options, seen, fresh.zipJob);
    const after = fresh.zipJob.status ?? {};
    logMove(options, seen, fresh.zipJob);
    const { namespace: project } = fresh.zipJob.metadata;
    const before = seen.zipJob.status ?? {};
    options.traces?.note(seen.zipJob, fresh.zipJob);
    countTransition(options.metrics, { project, before, after, now: options.clock.date() });
  }
  return fresh;
}
