import { deliveryResponse } from '#administration/jobs/delivery-response.ts';
import type { WebhookEvent } from '#crds/zip-job.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { type DeliveryResult, type LastDelivery, lastDeliveryOf } from '../live/deliveries.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { FORMAT } from '../ui/format.ts';
import type { DeliveryQuery } from './delivery-query.ts';

/** Most jobs in the log. Open pages read it every few seconds; the filters find older ones. */
const MOST = 25;

/** The last webhook delivery of one job. Of the response it has only the status: everything else could reveal internal services. */
export interface DeliveryRow {
  readonly at: string;
  /** Of the ZipJob. */
  readonly name: string;
  readonly key: string;
  readonly href: string;
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
  /** Most rows. */
  readonly most?: number;
}

const ALL: DeliveryQuery = { result: '', event: '' };

function rowOf(job: ListedJob, { webhook, last, result, event }: LastDelivery): DeliveryRow {
  return {
    at: last.at,
    name: job.metadata.name,
    key: job.spec.key,
    href: FORMAT.path('projects', job.metadata.namespace, 'jobs', job.metadata.name),
    event,
    result,
    response: deliveryResponse(last),
    durationMs: last.durationMs,
    bytes: last.bytes ?? null,
    attempt: last.attempt ?? null,
    nextAttemptAt: webhook.state === 'Pending' ? (webhook.nextAttemptAt ?? null) : null,
  };
}

/** The last attempt of each job that had one and matches the filters, newest first. Reads only the listed jobs. */
export function deliveryLog(
  { caches: { zipJobs }, jobs: { deliveries } }: DeliverySource,
  { namespace, query, most = MOST }: WantedLog,
): DeliveryLog {
  return {
    rows: deliveries.newest(namespace, query, most).flatMap((key) => {
      const job = zipJobs.get(key);
      const delivery = job && lastDeliveryOf(job);
      return job === undefined || delivery === undefined ? [] : [rowOf(job, delivery)];
    }),
    total: deliveries.count(namespace, query),
    failed:
      query.result === '' || query.result === 'failed'
        ? deliveries.count(namespace, { ...query, result: 'failed' })
        : 0,
    isEmpty: deliveries.count(namespace, ALL) === 0,
  };
}
