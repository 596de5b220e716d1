import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';

/** One endpoint of a project. Its URL and secrets have keys of their own in the one Secret of the webhook. */
export interface EndpointPlace {
  readonly namespace: string;
  readonly endpoint: string;
}

/** Where something is or is missing, as in a message. */
export function placeText({ namespace, endpoint }: EndpointPlace): string {
  const place = endpoint === DEFAULT_ENDPOINT ? '' : `for endpoint "${endpoint}" `;
  return `${place}in project "${namespace}"`;
}

/** The option of a command that names the endpoint. */
export function endpointOption(endpoint: string): string {
  return endpoint === DEFAULT_ENDPOINT ? '' : ` --endpoint ${endpoint}`;
}
