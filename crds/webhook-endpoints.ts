import type { JobWebhookState, WebhookState } from './zip-job.ts';

/** Name of the endpoint that a project with one URL has. Its fields are those of the webhook itself. */
export const DEFAULT_ENDPOINT = 'default';

/** Of a project, the default one included. As in the schema. */
export const MAX_ENDPOINTS = 5;

export interface Named {
  readonly name: string;
}

/** What a webhook has of its endpoints: the fields of the default one, and a list of the others. */
type Endpoints<T> = T & { readonly endpoints?: readonly (T & Named)[] };

/** The endpoints of a webhook, the default one first. */
export function endpointsOf<T extends object>(webhook: Endpoints<T> | undefined): readonly (T & Named)[] {
  return webhook ? [{ ...webhook, name: DEFAULT_ENDPOINT }, ...(webhook.endpoints ?? [])] : [];
}

export function findEndpoint<T extends object>(
  webhook: Endpoints<T> | undefined,
  name: string,
): (T & Named) | undefined {
  return endpointsOf(webhook).find((endpoint) => endpoint.name === name);
}

/** The annotation of a command to one endpoint. */
export function endpointAnnotation(annotation: string, endpoint: string): string {
  return endpoint === DEFAULT_ENDPOINT ? annotation : `${annotation}.${endpoint}`;
}

/** The keys of the Secret of the webhook for one endpoint. */
export function endpointSecretKey<K extends string>(key: K, endpoint: string): string {
  return endpoint === DEFAULT_ENDPOINT ? key : `${endpoint}.${key}`;
}

/** The worst first: an event is delivered when every endpoint has it. */
const WORST_FIRST = ['Pending', 'Exhausted', 'Delivered', 'NotConfigured'] as const;

/** The delivery of an event to all endpoints. */
export function overallState(webhook: JobWebhookState): WebhookState['state'] {
  const states = endpointsOf<WebhookState>(webhook).map(({ state }) => state);
  return WORST_FIRST.find((state) => states.includes(state)) ?? 'NotConfigured';
}
