import { deliveryResponse } from '#administration/jobs/delivery-response.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { WebhookEvent } from '#crds/zip-job.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { type DeliveryResult, type LastDelivery, lastDeliveryOf } from '../live/deliveries.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { ANY_DELIVERY, type DeliveryQuery } from './delivery-query.ts';
import { deliveryHref, deliveryId } from './webhook-paths.ts';

/** Jobs on a page. Open pages read it every few seconds. */
const ON_A_PAGE = 25;

/** The last webhook delivery of one job to one endpoint. Of the response it has only the status: everything else could reveal internal services. */
export interface DeliveryRow {
  readonly at: string;
  /** Of the ZipJob. */
  readonly name: string;
  readonly key: string;
  readonly href: string;
  /** Names the delivery in the form that resends it. */
  readonly id: string;
  /** Name of the endpoint; empty for the default one. */
  readonly endpoint: string;
  readonly event: WebhookEvent;
  readonly result: DeliveryResult;
  /** Response of the receiver, or the error. */
  readonly response: string;
  readonly durationMs: number;
  /** Size of the request; null if the status does not say it. */
  readonly bytes: number | null;
  /** From 1; null if the status does not say it. */
  readonly attempt: number | null;
  readonly nextAttemptAt: string | null;
}

export interface DeliveryLog {
  readonly rows: readonly DeliveryRow[];
  /** From 1: the last one for a page after it. */
  readonly page: number;
  readonly pages: number;
  /** Number of the first row among all that match, from 1. */
  readonly first: number;
  /** All that match the filters, also those that are not listed. */
  readonly total: number;
  /** Of them, those that failed. */
  readonly failed: number;
  /** Whether any job has a delivery, with or without the filters. */
  readonly isEmpty: boolean;
}

export type DeliverySource = Pick<PageDeps, 'caches' | 'jobs'>;

interface WantedLog {
  readonly namespace: string;
  readonly query: DeliveryQuery;
  /** From 1. Default: 1. */
  readonly page?: number;
  /** Rows on a page. */
  readonly most?: number;
}

function rowOf(job: ListedJob, { endpoint, webhook, last, result, event }: LastDelivery): DeliveryRow {
  const { namespace, name } = job.metadata;
  return {
    at: last.at,
    name,
    key: job.spec.key,
    href: deliveryHref(namespace, name, endpoint),
    id: deliveryId({ job: name, endpoint }),
    endpoint: endpoint === DEFAULT_ENDPOINT ? '' : endpoint,
    event,
    result,
    response: deliveryResponse(last),
    durationMs: last.durationMs,
    bytes: last.bytes ?? null,
    attempt: last.attempt ?? null,
    nextAttemptAt: webhook.state === 'Pending' ? (webhook.nextAttemptAt ?? null) : null,
  };
}

/** The last attempt of each job at each endpoint that had one and matches the filters, newest first. Reads only the listed jobs. */
export function deliveryLog(
  { caches: { zipJobs }, jobs: { deliveries } }: DeliverySource,
  { namespace, query, page: wanted = 1, most = ON_A_PAGE }: WantedLog,
): DeliveryLog {
  const total = deliveries.count(namespace, query);
  const pages = Math.max(1, Math.ceil(total / most));
  const page = Math.min(Math.max(wanted, 1), pages);
  const skip = (page - 1) * most;
  return {
    rows: deliveries.newest(namespace, query, { most, skip }).flatMap(({ job: key, endpoint }) => {
      const job = zipJobs.get(key);
      const delivery = job && lastDeliveryOf(job, endpoint);
      return job === undefined || delivery === undefined ? [] : [rowOf(job, delivery)];
    }),
    page,
    pages,
    first: skip + 1,
    total,
    failed:
      query.result === '' || query.result === 'failed'
        ? deliveries.count(namespace, { ...query, result: 'failed' })
        : 0,
    isEmpty: deliveries.count(namespace, ANY_DELIVERY) === 0,
  };
}
