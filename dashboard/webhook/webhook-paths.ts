import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import { type Crumb, notFound, type PageRequest } from '../http/page.ts';
import { FORMAT } from '../ui/format.ts';
import { SECTION_LABELS } from '../ui/words.ts';

export const WEBHOOK_PATH = '/projects/:project/webhook';
/** Of the page of an endpoint other than the default one, whose page is that of the webhook. */
export const ENDPOINT_PATH = `${WEBHOOK_PATH}/endpoints/:endpoint`;

/** Path of the webhook page of a project, or of a page below it. */
export function webhookHref(namespace: string, ...below: readonly string[]): string {
  return FORMAT.path('projects', namespace, 'webhook', ...below);
}

function partsOf(endpoint: string): readonly string[] {
  return endpoint === DEFAULT_ENDPOINT ? [] : ['endpoints', endpoint];
}

/** Path of the page of an endpoint, or of a page below it. */
export function endpointHref(namespace: string, endpoint: string, ...below: readonly string[]): string {
  return webhookHref(namespace, ...partsOf(endpoint), ...below);
}

/** Path of a live part of the page of an endpoint. */
export function liveEndpointHref(namespace: string, endpoint: string, ...below: readonly string[]): string {
  return FORMAT.path('projects', namespace, 'live', 'webhook', ...partsOf(endpoint), ...below);
}

/** The endpoint that the path of the request names. @throws PageError for the default one, whose pages have other paths and rights */
export function endpointOf({ params }: Pick<PageRequest, 'params'>): string {
  const { endpoint } = params;
  if (endpoint === DEFAULT_ENDPOINT) throw notFound();
  return endpoint ?? DEFAULT_ENDPOINT;
}

/** Query, and field of a form, with the name of an endpoint. */
export const ENDPOINT = 'endpoint';

/** Path of the page of the last delivery of a job to an endpoint. */
export function deliveryHref(namespace: string, job: string, endpoint: string): string {
  const query = endpoint === DEFAULT_ENDPOINT ? '' : `?${ENDPOINT}=${encodeURIComponent(endpoint)}`;
  return webhookHref(namespace, 'deliveries', job) + query;
}

export function readEndpoint(query: URLSearchParams): string {
  return query.get(ENDPOINT) ?? DEFAULT_ENDPOINT;
}

/** The delivery of a job to an endpoint. */
interface DeliveryName {
  readonly job: string;
  readonly endpoint: string;
}

/** Names a delivery in a form. */
export function deliveryId({ job, endpoint }: DeliveryName): string {
  return endpoint === DEFAULT_ENDPOINT ? job : `${job}/${endpoint}`;
}

/** Reverses `deliveryId`. */
export function deliveryOfId(id: string): DeliveryName {
  const [job = '', endpoint = DEFAULT_ENDPOINT] = id.split('/');
  return { job, endpoint };
}

/** Breadcrumbs of the pages below the webhook page. */
export function webhookTrail(namespace: string): readonly Crumb[] {
  return [{ label: SECTION_LABELS.webhook, href: webhookHref(namespace) }];
}

/** Breadcrumbs of the pages below the page of an endpoint. */
export function endpointTrail(namespace: string, endpoint: string): readonly Crumb[] {
  if (endpoint === DEFAULT_ENDPOINT) return webhookTrail(namespace);
  return [...webhookTrail(namespace), { label: endpoint, href: endpointHref(namespace, endpoint) }];
}
