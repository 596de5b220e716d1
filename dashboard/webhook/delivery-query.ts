import { endpointsOf } from '#crds/webhook-endpoints.ts';
import { WEBHOOK_EVENTS } from '#crds/zip-job.ts';
import type { ProjectEndpoint, ZipProject } from '#crds/zip-project.ts';
import { DELIVERY_RESULTS, type WantedDeliveries } from '../live/deliveries.ts';
import { DELIVERY_BADGES } from '../ui/words.ts';
import { ENDPOINT, webhookHref } from './webhook-paths.ts';

/** Filters of the deliveries; an empty text matches everything. */
export type DeliveryQuery = WantedDeliveries;

const ANY = { value: '', text: 'Any' };
export const RESULT_OPTIONS = [
  ANY,
  ...DELIVERY_RESULTS.map((value) => ({ value, text: DELIVERY_BADGES[value].text })),
];
export const EVENT_OPTIONS = [ANY, ...WEBHOOK_EVENTS.map((value) => ({ value, text: value }))];

/** Everything matches. */
export const ANY_DELIVERY: DeliveryQuery = { result: '', event: '', endpoint: '' };

/** Names of the endpoints that a project has, the default one first. */
export function endpointNames({ spec }: ZipProject): readonly string[] {
  return endpointsOf<ProjectEndpoint>(spec.webhook).map(({ name }) => name);
}

/** Choices of the filter by endpoint. Empty for a project with one: there is nothing to choose. */
export function endpointOptions(names: readonly string[]) {
  return names.length < 2 ? [] : [ANY, ...names.map((value) => ({ value, text: value }))];
}

function oneOf<T extends string>(known: readonly T[], value: string | null): T | '' {
  return known.find((one) => one === value) ?? '';
}

/** An unknown value counts as no filter: the page shows which filters are active. `endpoints`: names of those of the project. */
export function readDeliveryQuery(query: URLSearchParams, endpoints: readonly string[]): DeliveryQuery {
  return {
    result: oneOf(DELIVERY_RESULTS, query.get('result')),
    event: oneOf(WEBHOOK_EVENTS, query.get('event')),
    endpoint: oneOf(endpoints, query.get(ENDPOINT)),
  };
}

/** Number of the page in a query; 1 for an invalid one. */
export function readPage(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? '1');
  return Number.isSafeInteger(page) ? page : 1;
}

/** Empty, or `?` with the active filters and the page, if it is not the first. */
export function writeDeliveryQuery({ result, event, endpoint }: DeliveryQuery, page = 1): string {
  const query = new URLSearchParams();
  if (result !== '') query.set('result', result);
  if (event !== '') query.set('event', event);
  if (endpoint !== '') query.set(ENDPOINT, endpoint);
  if (page !== 1) query.set('page', String(page));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Path of the deliveries with these filters. */
export function deliveriesHref(namespace: string, query: DeliveryQuery, page = 1): string {
  return `${webhookHref(namespace, 'deliveries')}${writeDeliveryQuery(query, page)}`;
}

/** The active filters, each with the path that removes it. */
export function deliveryChips(namespace: string, query: DeliveryQuery) {
  const { result, event, endpoint } = query;
  function chip(name: keyof DeliveryQuery, label: string) {
    return { label, href: deliveriesHref(namespace, { ...query, [name]: '' }) };
  }
  return {
    chips: [
      ...(result === '' ? [] : [chip('result', `Result: ${DELIVERY_BADGES[result].text}`)]),
      ...(event === '' ? [] : [chip('event', `Event: ${event}`)]),
      ...(endpoint === '' ? [] : [chip('endpoint', `Endpoint: ${endpoint}`)]),
    ],
    clearHref: deliveriesHref(namespace, ANY_DELIVERY),
  };
}
