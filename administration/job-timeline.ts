import type { Condition } from '#crds/conditions.ts';
import type { Attempt, WebhookDelivery } from '#crds/zip-job.ts';
import type { Job } from './job-view.ts';

/** Something that happened to a job, and when. */
export interface Moment {
  readonly at: string;
  readonly what: string;
  readonly detail: string;
}

const moment = (at: string | null | undefined, what: string, detail = ''): readonly Moment[] =>
  at === null || at === undefined ? [] : [{ at, what, detail }];

const words = (...parts: readonly (string | undefined | false)[]): string =>
  parts.filter((part) => part !== undefined && part !== false && part !== '').join(', ');

const ofAttempt = (attempt: Attempt): readonly Moment[] => {
  const { n, exitCode, reason, message, upload, abortFailures = 0 } = attempt;
  const facts = words(
    attempt.class,
    exitCode !== undefined && `exit code ${exitCode}`,
    reason !== attempt.class && reason,
    upload && `upload ${upload.state}`,
    abortFailures > 0 && `${abortFailures} uploads not aborted`,
  );
  return [
    ...moment(attempt.startedAt, `Attempt ${n} began`),
    ...moment(
      attempt.finishedAt,
      `Attempt ${n} ended`,
      message === undefined ? facts : `${facts}: ${message}`,
    ),
  ];
};

const ofCondition = ({ type, status, reason, message, lastTransitionTime }: Condition): Moment => ({
  at: lastTransitionTime,
  what: status === 'True' ? type : `${type}=${status}`,
  detail: `${reason}: ${message}`,
});

const ofDelivery = ({ at, status, error, durationMs }: WebhookDelivery): Moment => ({
  at,
  what: 'Webhook sent',
  detail: `${status === undefined ? (error ?? 'no answer') : `HTTP ${status}`} in ${durationMs} ms`,
});

/** What is known of a job's life, in order. Of a condition only its last change is kept. */
export const timelineOf = (job: Job): readonly Moment[] =>
  [
    ...moment(job.createdAt, 'Created'),
    ...job.conditions.map(ofCondition),
    ...job.attempts.flatMap(ofAttempt),
    ...(job.webhook?.log ?? []).map(ofDelivery),
    ...moment(job.files.deletedAt, 'File list deleted'),
    ...moment(job.deletingSince, 'Deletion asked for'),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
