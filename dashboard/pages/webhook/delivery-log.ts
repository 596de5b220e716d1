import type { WebhookDelivery, WebhookState } from '#crds/zip-job.ts';
import { FORMAT } from '../../format.ts';
import type { ListedJob } from '../../live/listed-job.ts';

/** Most jobs in the log. */
const MOST = 50;

/** The last webhook delivery of one job. */
export interface DeliveryRow {
  readonly at: string;
  readonly key: string;
  readonly href: string;
  readonly state: WebhookState['state'];
  readonly attempts: number;
  /** Response of the receiver, or the error. */
  readonly response: string;
  readonly durationMs: number;
  readonly nextAttemptAt: string | null;
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

const rowOf = ({ job: { metadata, spec }, webhook, last }: Delivered): DeliveryRow => ({
  at: last.at,
  key: spec.key,
  href: FORMAT.path('projects', metadata.namespace, 'jobs', metadata.name),
  state: webhook.state,
  attempts: webhook.attempts ?? 1,
  response: last.status === undefined ? (last.error ?? 'no response') : `HTTP ${last.status}`,
  durationMs: last.durationMs,
  nextAttemptAt: webhook.nextAttemptAt ?? null,
});

/** The controller writes all times in one format, so they compare as text. */
const newestFirst = (a: Delivered, b: Delivered): number => {
  if (a.last.at === b.last.at) return 0;
  return a.last.at < b.last.at ? 1 : -1;
};

/** The last attempt of each job that had one, newest first. */
export const deliveryLog = (jobs: readonly ListedJob[]): readonly DeliveryRow[] =>
  jobs.flatMap(deliveredBy).sort(newestFirst).slice(0, MOST).map(rowOf);
