import type { WebhookDelivery, WebhookEvent, WebhookState } from '#crds/zip-job.ts';
import { FORMAT } from '../../format.ts';
import type { ListedJob } from '../../live/listed-job.ts';
import type { DeliveryQuery, DeliveryResult } from './delivery-query.ts';

/** Most jobs in the log. Open pages read it every few seconds; the filters find older ones. */
const MOST = 50;

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
  /** Size of the request; null in deliveries of older versions. */
  readonly bytes: number | null;
  /** From 1; null in deliveries of older versions. */
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

interface Delivered {
  readonly job: ListedJob;
  readonly webhook: WebhookState;
  readonly last: WebhookDelivery;
}

const deliveredBy = (job: ListedJob): readonly Delivered[] => {
  const webhook = job.status.webhook;
  const last = webhook?.log?.at(-1);
  return webhook && last ? [{ job, webhook, last }] : [];
};

const resultOf = ({ state }: WebhookState): DeliveryResult => {
  if (state === 'Delivered') return 'delivered';
  return state === 'Pending' ? 'pending' : 'failed';
};

const eventOf = ({ status }: ListedJob): WebhookEvent =>
  status.phase === 'Succeeded' ? 'COMPLETED' : 'FAILED';

const rowOf = ({ job, webhook, last }: Delivered): DeliveryRow => ({
  at: last.at,
  name: job.metadata.name,
  key: job.spec.key,
  href: FORMAT.path('projects', job.metadata.namespace, 'jobs', job.metadata.name),
  event: eventOf(job),
  result: resultOf(webhook),
  response: last.status === undefined ? (last.error ?? 'no response') : `HTTP ${last.status}`,
  durationMs: last.durationMs,
  bytes: last.bytes ?? null,
  attempt: last.attempt ?? null,
  nextAttemptAt: webhook.state === 'Pending' ? (webhook.nextAttemptAt ?? null) : null,
});

/** The controller writes all times in one format, so they compare as text. */
const newestFirst = (a: Delivered, b: Delivered): number => {
  if (a.last.at === b.last.at) return 0;
  return a.last.at < b.last.at ? 1 : -1;
};

/** The last attempt of each job that had one and matches the filters, newest first. */
export const deliveryLog = (jobs: readonly ListedJob[], query: DeliveryQuery, most = MOST): DeliveryLog => {
  const all = jobs.flatMap(deliveredBy);
  const found = all.filter(
    ({ job, webhook }) =>
      (query.result === '' || query.result === resultOf(webhook)) &&
      (query.event === '' || query.event === eventOf(job)),
  );
  return {
    rows: found.toSorted(newestFirst).slice(0, most).map(rowOf),
    total: found.length,
    failed: found.filter(({ webhook }) => resultOf(webhook) === 'failed').length,
    isEmpty: all.length === 0,
  };
};
