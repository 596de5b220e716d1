import type { WebhookDelivery } from '#crds/zip-job.ts';

/** What the receiver of a webhook responded: `HTTP 503`, the error, or that it did not respond. */
export function deliveryResponse({ status, error }: Pick<WebhookDelivery, 'status' | 'error'>): string {
  return status === undefined ? (error ?? 'no response') : `HTTP ${status}`;
}
