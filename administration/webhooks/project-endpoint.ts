import { DEFAULT_ENDPOINT, endpointAnnotation, findEndpoint } from '#crds/webhook-endpoints.ts';
import type { ProjectEndpoint, ProjectWebhook, ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { AdministrationError } from '../errors/administration-error.ts';
import { type EndpointPlace, endpointOption, placeText } from './endpoint-place.ts';
import type { SecretsOfWebhook } from './signing-secret.ts';

export interface WebhooksOptions {
  readonly projects: Pick<ObjectClient<ZipProject>, 'get' | 'mergePatch'>;
  readonly secrets: SecretsOfWebhook;
  readonly clock: Clock;
}

export function specOf({ spec }: ZipProject, { endpoint }: EndpointPlace): ProjectEndpoint | undefined {
  return findEndpoint<ProjectEndpoint>(spec.webhook, endpoint);
}

export function noEndpoint(place: EndpointPlace): AdministrationError {
  return new AdministrationError(`No webhook found ${placeText(place)}`, {
    code: 'NotFound',
    commandHint: `Set one with: zipjobs webhook update URL${endpointOption(place.endpoint)} -n ${place.namespace}`,
  });
}

/** The webhook of a project with this endpoint; undefined removes it. */
export function withEndpoint(
  webhook: ProjectWebhook | undefined,
  name: string,
  endpoint: ProjectEndpoint | undefined,
): ProjectWebhook | undefined {
  const { endpoints = [], ...first } = webhook ?? {};
  if (name === DEFAULT_ENDPOINT)
    return endpoint && { ...endpoint, ...defined({ endpoints: webhook?.endpoints }) };
  const known = endpoints.some((one) => one.name === name);
  const changed = endpoints.flatMap((one) => {
    if (one.name !== name) return [one];
    return endpoint ? [{ ...endpoint, name }] : [];
  });
  const all = endpoint && !known ? [...changed, { ...endpoint, name }] : changed;
  return { ...first, ...(all.length > 0 && { endpoints: all }) };
}

/** Of the ZipProject: the form or command that adds an endpoint, until the endpoint has its URL and its signing secret. */
const ADDED_BY = 'zipjobs.dev/endpoint-added-by-form';

export function adderOf({ metadata }: ZipProject, { endpoint }: EndpointPlace): string | undefined {
  return metadata.annotations?.[endpointAnnotation(ADDED_BY, endpoint)];
}

export function withAdder({ endpoint }: EndpointPlace, form: string): Readonly<Record<string, string>> {
  return { [endpointAnnotation(ADDED_BY, endpoint)]: form };
}

/** Undefined: nothing to remove. */
export function withoutAdder(
  project: ZipProject,
  place: EndpointPlace,
): Readonly<Record<string, null>> | undefined {
  return adderOf(project, place) === undefined
    ? undefined
    : { [endpointAnnotation(ADDED_BY, place.endpoint)]: null };
}

/** The fields of an endpoint, those of a newer version included. */
export function withoutName({
  name: _name,
  endpoints: _others,
  ...endpoint
}: ProjectWebhook & { readonly name?: string }): ProjectEndpoint {
  return endpoint;
}
