import { FINALIZER } from '#crds/api-group.ts';
import type { WebhookState } from '#crds/zip-job.ts';
import type { Action, EventNote, OwnedStatus, Situation, Step } from '../observation.ts';
import { timeOf, withCondition } from '../owned-status.ts';
import { expiresAt, fileListExpiresAt } from '../policies/expiry.ts';
import { afterDelivery } from '../policies/notification.ts';
import { endJob } from './ending.ts';

const deliveredNote = (webhook: WebhookState): EventNote => {
  const last = webhook.log?.at(-1);
  const answer = last?.status === undefined ? (last?.error ?? 'no answer') : `HTTP ${last.status}`;
  if (webhook.state === 'Delivered')
    return { type: 'Normal', reason: 'WebhookDelivered', message: `the webhook was delivered (${answer})` };
  const next = webhook.state === 'Exhausted' ? 'no attempt is left' : `next at ${webhook.nextAttemptAt}`;
  return {
    type: 'Warning',
    reason: webhook.state === 'Exhausted' ? 'WebhookExhausted' : 'WebhookFailed',
    message: `webhook attempt ${webhook.attempts} failed (${answer}); ${next}`,
  };
};

const withWebhook = (status: OwnedStatus, webhook: WebhookState, now: Date): OwnedStatus => {
  const next = { ...status, webhook };
  if (webhook.state === 'Delivered')
    return withCondition(next, 'Notified', { status: 'True', reason: 'Delivered', now });
  return webhook.state === 'Exhausted'
    ? withCondition(next, 'Notified', { status: 'False', reason: 'Exhausted', now })
    : next;
};

const notify = (s: Situation): Step => {
  const { status, now, seen, config } = s;
  const before = status.webhook;
  if (before?.state !== 'Pending') return { status };
  if (seen.delivery.kind === 'inFlight') return { status };
  if (seen.delivery.kind === 'answered') {
    const webhook = afterDelivery(before, seen.delivery.answer, { schedule: config.webhookSchedule, now });
    const requeueAfterMs = (timeOf(webhook.nextAttemptAt) ?? now.getTime()) - now.getTime();
    return { status: withWebhook(status, webhook, now), events: [deliveredNote(webhook)], requeueAfterMs };
  }
  const dueMs = (timeOf(before.nextAttemptAt) ?? 0) - now.getTime();
  return dueMs > 0 ? { status, requeueAfterMs: dueMs } : { status, actions: [{ kind: 'deliverWebhook' }] };
};

interface Due {
  readonly at: Date | undefined;
  readonly action: Action;
}

const dueOf = (s: Situation): readonly Due[] => {
  const { zipJob } = s.seen;
  const secretNames = zipJob.spec.filesFrom?.secretNames ?? [];
  return [
    { at: fileListExpiresAt(zipJob, s.config), action: { kind: 'deleteFileList', secretNames } },
    { at: expiresAt(zipJob, s.config), action: { kind: 'deleteZipJob' } },
  ];
};

/** After the end: the finalizer goes, the webhook is delivered, the file list and at last the ZipJob are deleted. */
export const finished = (s: Situation): Step => {
  const { metadata } = s.seen.zipJob;
  const release: readonly Action[] = metadata.finalizers?.includes(FINALIZER)
    ? [{ kind: 'removeFinalizer' }]
    : [];
  if (metadata.deletionTimestamp !== undefined) return { status: s.status, actions: release };
  const told = notify(s);
  const due = dueOf(s);
  const later = due.map(({ at }) => at).filter((at) => at !== undefined && at > s.now);
  const waits = [told.requeueAfterMs, ...later.map((at) => (at?.getTime() ?? 0) - s.now.getTime())];
  const known = waits.filter((wait) => wait !== undefined);
  return {
    ...told,
    actions: [
      ...(s.status.phase === 'Succeeded' ? [] : endJob(s, s.status)),
      ...release,
      ...(told.actions ?? []),
      ...due.filter(({ at }) => at !== undefined && at <= s.now).map(({ action }) => action),
    ],
    requeueAfterMs: known.length === 0 ? undefined : Math.max(0, Math.min(...known)),
  };
};
