import type { WebhookDelivery, WebhookState, ZipJob } from '#crds/zip-job.ts';
import { FORMAT } from '../../format.ts';

/** So many jobs are shown. */
const MOST = 50;

/** How the telling of one job's end went last. */
export interface DeliveryRow {
  readonly at: string;
  readonly key: string;
  readonly href: string;
  readonly state: WebhookState['state'];
  readonly attempts: number;
  /** What the receiver answered, or why it did not. */
  readonly answer: string;
  readonly durationMs: number;
  readonly nextAttemptAt: string | null;
}

interface Told {
  readonly job: ZipJob;
  readonly webhook: WebhookState;
  readonly last: WebhookDelivery;
}

const toldBy = (job: ZipJob): readonly Told[] => {
  const webhook = job.status?.webhook;
  const last = webhook?.log?.at(-1);
  return webhook && last ? [{ job, webhook, last }] : [];
};

const rowOf = ({ job: { metadata, spec }, webhook, last }: Told): DeliveryRow => ({
  at: last.at,
  key: spec.key,
  href: FORMAT.path('projects', metadata.namespace, 'jobs', metadata.name),
  state: webhook.state,
  attempts: webhook.attempts ?? 1,
  answer: last.status === undefined ? (last.error ?? 'no answer') : `HTTP ${last.status}`,
  durationMs: last.durationMs,
  nextAttemptAt: webhook.nextAttemptAt ?? null,
});

/** All of them are written by the controller, in one form: they compare as text. */
const newestFirst = (a: Told, b: Told): number => {
  if (a.last.at === b.last.at) return 0;
  return a.last.at < b.last.at ? 1 : -1;
};

/** The last attempt for each job that had one, the newest first. */
export const deliveryLog = (jobs: readonly ZipJob[]): readonly DeliveryRow[] =>
  jobs.flatMap(toldBy).sort(newestFirst).slice(0, MOST).map(rowOf);
