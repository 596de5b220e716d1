import { WEBHOOK_EVENTS } from '#crds/zip-job.ts';
import { DELIVERY_RESULTS, type WantedDeliveries } from '../live/deliveries.ts';
import { DELIVERY_BADGES } from '../ui/words.ts';
import { webhookHref } from './webhook-paths.ts';

/** Filters of the deliveries; an empty text matches everything. */
export type DeliveryQuery = WantedDeliveries;

const ANY = { value: '', text: 'Any' };
export const RESULT_OPTIONS = [
  ANY,
  ...DELIVERY_RESULTS.map((value) => ({ value, text: DELIVERY_BADGES[value].text })),
];
export const EVENT_OPTIONS = [ANY, ...WEBHOOK_EVENTS.map((value) => ({ value, text: value }))];

function oneOf<T extends string>(known: readonly T[], value: string | null): T | '' {
  return known.find((one) => one === value) ?? '';
}

/** An unknown value counts as no filter: the page shows which filters are active. */
export function readDeliveryQuery(query: URLSearchParams): DeliveryQuery {
  return {
    result: oneOf(DELIVERY_RESULTS, query.get('result')),
    event: oneOf(WEBHOOK_EVENTS, query.get('event')),
  };
}

/** Number of the page in a query; 1 for an invalid one. */
export function readPage(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? '1');
  return Number.isSafeInteger(page) ? page : 1;
}

/** Empty, or `?` with the active filters and the page, if it is not the first. */
export function writeDeliveryQuery({ result, event }: DeliveryQuery, page = 1): string {
  const query = new URLSearchParams();
  if (result !== '') query.set('result', result);
  if (event !== '') query.set('event', event);
  if (page !== 1) query.set('page', String(page));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Path of the deliveries with these filters. */
export function deliveriesHref(namespace: string, query: DeliveryQuery, page = 1): string {
  return `${webhookHref(namespace, 'deliveries')}${writeDeliveryQuery(query, page)}`;
}

/** The active filters, each with the path that removes it. */
export function deliveryChips(namespace: string, query: DeliveryQuery) {
  return {
    chips: [
      ...(query.result === ''
        ? []
        : [
            {
              label: `Result: ${DELIVERY_BADGES[query.result].text}`,
              href: deliveriesHref(namespace, { ...query, result: '' }),
            },
          ]),
      ...(query.event === ''
        ? []
        : [{ label: `Event: ${query.event}`, href: deliveriesHref(namespace, { ...query, event: '' }) }]),
    ],
    clearHref: deliveriesHref(namespace, { result: '', event: '' }),
  };
}
