import { endpointOf } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Delivery } from './deliver.ts';
import type { DeliveryTask } from './dispatcher.ts';
import type { Sender } from './sender.ts';

/** The endpoint of a webhook. */
interface Target {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: the Secret of the project contains it. */
  readonly url: string | undefined;
}

type WebhookEvent = Pick<Delivery, 'id' | 'traceparent'> & { readonly body: () => string };

/** Sends an event to an endpoint, with the keys that the Secret of the project contains at that time. */
export function endpointDelivery(
  { deliver, readWebhookSecret, clock }: Sender,
  { namespace, name, url }: Target,
  { body, ...event }: WebhookEvent,
): Pick<DeliveryTask, 'name' | 'project' | 'endpoint' | 'send'> {
  const endpoint = endpointOf(defined({ name, url }));
  return {
    name,
    project: namespace,
    // With the name: endpoints of a project do not wait for each other, even at one receiver.
    endpoint: `${namespace} ${name} ${URL.parse(endpoint)?.origin ?? endpoint}`,
    send: async (signal) => {
      const secret = await readWebhookSecret({ namespace, name }, clock.date());
      return deliver({ ...event, url: url ?? secret.url, keys: secret.keys, body: body() }, signal);
    },
  };
}
