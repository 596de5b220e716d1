import { ANNOTATIONS, projectKey } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { endpointOf, type ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import { validTraceparent } from '#runtime/log/traceparent.ts';
import { webhookBody } from '#runtime/webhook/payload.ts';
import type { JobTraces } from '../tracing/job-traces.ts';
import type { DeliveryTask } from './dispatcher.ts';
import { isDisabled } from './endpoint.ts';
import { endpointDelivery } from './endpoint-delivery.ts';
import { attemptIdOf, eventOf } from './retries.ts';
import type { Sender } from './sender.ts';

export interface PlanDeliveryOptions extends Sender {
  readonly findProject: (key: ObjectKey) => ZipProject | undefined;
  /** Undefined without tracing. */
  readonly traces?: Pick<JobTraces, 'traceparentOf'> | undefined;
}

/** The next delivery attempt of a finished ZipJob. */
export type PlanDelivery = (zipJob: ZipJob) => DeliveryTask;

function finalPhase(zipJob: ZipJob): 'Succeeded' | 'Failed' {
  return zipJob.status?.phase === 'Succeeded' ? 'Succeeded' : 'Failed';
}

export function createPlanDelivery({ findProject, traces, ...sender }: PlanDeliveryOptions): PlanDelivery {
  return (zipJob) => {
    const { namespace, annotations } = zipJob.metadata;
    const { url } = zipJob.spec.webhook ?? {};
    const endpoint = endpointOf(defined({ url }));
    const { webhook } = zipJob.status ?? {};
    // The receiver's spans belong to the delivery if it is in the trace, and otherwise to the span of the caller.
    const traceparent =
      traces?.traceparentOf(zipJob) ?? validTraceparent(annotations?.[ANNOTATIONS.traceparent]);
    const event = {
      id: webhook?.deliveryId ?? '',
      body: () => webhookBody(zipJob, eventOf(finalPhase(zipJob))),
      ...defined({ traceparent }),
    };
    return {
      key: objectKey(zipJob),
      attemptId: webhook ? attemptIdOf(webhook) : '',
      isWanted: () => !isDisabled(findProject(projectKey(namespace)), endpoint),
      ...endpointDelivery(sender, { namespace, url }, event),
    };
  };
}
