import { ANNOTATIONS, projectKey } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { endpointOf, type ZipProject } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import { type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import { defined } from '#runtime/optional.ts';
import { validTraceparent } from '#runtime/traceparent.ts';
import type { Deliver } from './deliver.ts';
import type { DeliveryTask } from './dispatcher.ts';
import { isDisabled } from './endpoint.ts';
import { attemptIdOf, eventOf } from './notification.ts';
import { webhookBody } from './payload.ts';
import type { ReadWebhookSecret } from './webhook-secret.ts';

export interface PlanDeliveryOptions {
  readonly deliver: Deliver;
  readonly readWebhookSecret: ReadWebhookSecret;
  readonly clock: Clock;
  readonly findProject: (key: ObjectKey) => ZipProject | undefined;
}

/** The next delivery attempt of a finished ZipJob. */
export type PlanDelivery = (zipJob: ZipJob) => DeliveryTask;

const finalPhase = (zipJob: ZipJob): 'Succeeded' | 'Failed' =>
  zipJob.status?.phase === 'Succeeded' ? 'Succeeded' : 'Failed';

export const createPlanDelivery =
  ({ deliver, readWebhookSecret, clock, findProject }: PlanDeliveryOptions): PlanDelivery =>
  (zipJob) => {
    const { namespace, annotations } = zipJob.metadata;
    const { url } = zipJob.spec.webhook ?? {};
    const endpoint = endpointOf(defined({ url }));
    const { webhook } = zipJob.status ?? {};
    const id = webhook?.deliveryId ?? '';
    const traceparent = validTraceparent(annotations?.[ANNOTATIONS.traceparent]);
    return {
      key: objectKey(zipJob),
      attemptId: webhook ? attemptIdOf(webhook) : '',
      project: namespace,
      endpoint: `${namespace} ${URL.parse(endpoint)?.origin ?? endpoint}`,
      isWanted: () => !isDisabled(findProject(projectKey(namespace)), endpoint),
      send: async (signal) => {
        const secret = await readWebhookSecret(namespace, clock.date());
        const body = webhookBody(zipJob, eventOf(finalPhase(zipJob)));
        return deliver(
          { url: url ?? secret.url, id, body, keys: secret.keys, ...defined({ traceparent }) },
          signal,
        );
      },
    };
  };
