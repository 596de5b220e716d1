import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { JobWebhookState, WebhookState } from '#crds/zip-job.ts';

/** Delivery to the endpoint with this name as it is stored, to be written again. */
export function deliveryTo(webhook: JobWebhookState | undefined, name: string): WebhookState | undefined {
  return name === DEFAULT_ENDPOINT ? webhook : webhook?.endpoints?.find((endpoint) => endpoint.name === name);
}

/** The same deliveries, with this one to the endpoint with this name. */
export function withDelivery(webhook: JobWebhookState, name: string, state: WebhookState): JobWebhookState {
  const { endpoints } = webhook;
  if (name === DEFAULT_ENDPOINT) return { ...state, ...(endpoints && { endpoints }) };
  return {
    ...webhook,
    endpoints: (endpoints ?? []).map((endpoint) => (endpoint.name === name ? { ...state, name } : endpoint)),
  };
}
