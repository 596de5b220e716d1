import { endpointsOf } from '#crds/webhook-endpoints.ts';
import { hasActivePod, isFinished, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { timeOf } from '../cluster/times.ts';

/** How long a trace waits for the webhook of its job: the first three attempts of the default schedule. Backends expect spans within minutes. */
const WEBHOOK_WAIT_MS = 600_000;

/** A webhook that is sent again on request is not waited for. Nor is an attempt that is due later than the trace waits. */
function awaitsWebhook({ webhook, finishedAt }: NonNullable<ZipJob['status']>): boolean {
  const untilMs = (timeOf(finishedAt) ?? 0) + WEBHOOK_WAIT_MS;
  return endpointsOf<WebhookState>(webhook).some(
    ({ state, replayNonce, nextAttemptAt }) =>
      state === 'Pending' && replayNonce === undefined && (timeOf(nextAttemptAt) ?? 0) <= untilMs,
  );
}

/**
 * True once the status has all that the trace of the job shows. It becomes true by one status write of a finished job, and stays
 * true, so that the writer of that status sends the trace, once.
 */
export function isTraceComplete({ status = {} }: Pick<ZipJob, 'status'>): boolean {
  return isFinished({ status }) && !hasActivePod({ status }) && !awaitsWebhook(status);
}
