import { ANNOTATIONS, projectKey } from '#crds/api-group.ts';
import { findEndpoint } from '#crds/webhook-endpoints.ts';
import type { JobEndpoint, WebhookState, ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import { validTraceparent } from '#runtime/log/traceparent.ts';
import { webhookBody } from '#runtime/webhook/payload.ts';
import type { JobTraces } from '../tracing/job-traces.ts';
import type { DeliveryTask } from './dispatcher.ts';
import { isDisabled, isRemoved } from './endpoint.ts';
import { endpointDelivery } from './endpoint-delivery.ts';
import { attemptIdOf, eventOf } from './retries.ts';
import type { Sender } from './sender.ts';

export interface PlanDeliveryOptions extends Sender {
  /** Of the page that explains failure codes. */
  readonly errorHelpUrl: string;
  readonly findProject: (key: ObjectKey) => ZipProject | undefined;
  /** Undefined without tracing. */
  readonly traces?: Pick<JobTraces, 'traceparentOf'> | undefined;
}

/** The next delivery attempt of a finished ZipJob to the endpoint with this name. */
export type PlanDelivery = (zipJob: ZipJob, name: string) => DeliveryTask;

function finalPhase(zipJob: ZipJob): 'Succeeded' | 'Failed' {
  return zipJob.status?.phase === 'Succeeded' ? 'Succeeded' : 'Failed';
}

export function createPlanDelivery({
  findProject,
  traces,
  errorHelpUrl,
  ...sender
}: PlanDeliveryOptions): PlanDelivery {
  return (zipJob, name) => {
    const { namespace, annotations } = zipJob.metadata;
    const { url } = findEndpoint<JobEndpoint>(zipJob.spec.webhook, name) ?? {};
    const endpoint = { name, ...defined({ url }) };
    const webhook = findEndpoint<WebhookState>(zipJob.status?.webhook, name);
    // The receiver's spans belong to the delivery if it is in the trace, and otherwise to the span of the caller.
    const traceparent =
      traces?.traceparentOf(zipJob, name) ?? validTraceparent(annotations?.[ANNOTATIONS.traceparent]);
    const event = {
      id: webhook?.deliveryId ?? '',
      body: () => webhookBody(zipJob, eventOf(finalPhase(zipJob)), errorHelpUrl),
      ...defined({ traceparent }),
    };
    function findOwnProject(): ZipProject | undefined {
      return findProject(projectKey(namespace));
    }
    // This delivery was decided, so that a cached project without the endpoint only lags.
    const isLagging = isRemoved(findOwnProject(), endpoint);
    return {
      key: objectKey(zipJob),
      attemptId: webhook ? attemptIdOf(webhook) : '',
      isWanted: () => {
        const project = findOwnProject();
        return !isDisabled(project, endpoint) && (isLagging || !isRemoved(project, endpoint));
      },
      ...endpointDelivery(sender, { namespace, name, url }, event),
    };
  };
}
