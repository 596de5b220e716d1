import type { Condition } from '#crds/conditions.ts';
import { DEFAULT_ENDPOINT, endpointsOf } from '#crds/webhook-endpoints.ts';
import type { Attempt, WebhookDelivery, WebhookState } from '#crds/zip-job.ts';
import { deliveryResponse } from './delivery-response.ts';
import type { Job } from './job-view.ts';
import { keptByAttemptText } from './kept-upload.ts';

/** An event in the history of a job. */
export interface Moment {
  readonly at: string;
  readonly what: string;
  readonly detail: string;
}

function moment(at: string | null | undefined, what: string, detail = ''): readonly Moment[] {
  return at === null || at === undefined ? [] : [{ at, what, detail }];
}

function words(...parts: readonly (string | undefined | false)[]): string {
  return parts.filter((part) => part !== undefined && part !== false && part !== '').join(', ');
}

function ofAttempt(attempt: Attempt): readonly Moment[] {
  const { n, exitCode, reason, message, upload, abortFailures = 0 } = attempt;
  const facts = words(
    attempt.class,
    exitCode !== undefined && `exit code ${exitCode}`,
    reason !== attempt.class && reason,
    upload && `upload ${upload.state}`,
    abortFailures > 0 && `${abortFailures} uploads not aborted`,
  );
  return [
    ...moment(attempt.startedAt, `Attempt ${n} started`, keptByAttemptText(attempt)),
    ...moment(
      attempt.finishedAt,
      `Attempt ${n} finished`,
      message === undefined ? facts : `${facts}: ${message}`,
    ),
  ];
}

function ofCondition({ type, status, reason, message, lastTransitionTime }: Condition): Moment {
  return {
    at: lastTransitionTime,
    what: status === 'True' ? type : `${type}=${status}`,
    detail: `${reason}: ${message}`,
  };
}

function ofDelivery(delivery: WebhookDelivery, endpoint: string): Moment {
  return {
    at: delivery.at,
    what: endpoint === DEFAULT_ENDPOINT ? 'Webhook sent' : `Webhook sent to ${endpoint}`,
    detail: `${deliveryResponse(delivery)} in ${delivery.durationMs} ms`,
  };
}

/** The history of a job, oldest first. Kubernetes keeps only the last transition of each condition. */
export function timelineOf(job: Job): readonly Moment[] {
  return [
    ...moment(job.createdAt, 'Created'),
    ...job.conditions.map(ofCondition),
    ...job.attempts.flatMap(ofAttempt),
    ...endpointsOf<WebhookState>(job.webhook ?? undefined).flatMap(({ name, log = [] }) =>
      log.map((delivery) => ofDelivery(delivery, name)),
    ),
    ...moment(job.files.deletedAt, 'File list deleted'),
    ...moment(job.deletingSince, 'Deletion requested'),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
