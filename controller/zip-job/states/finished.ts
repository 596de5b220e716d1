import { isDeepStrictEqual } from 'node:util';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { REASONS } from '#crds/conditions.ts';
import type { WebhookState } from '#crds/zip-job.ts';
import { endpointOf } from '#crds/zip-project.ts';
import { holdsFinalizer } from '#runtime/kube/finalizer.ts';
import { archiveStateOf } from '../../cluster/archive-state.ts';
import { commandOf } from '../../cluster/command.ts';
import { timeOf } from '../../cluster/times.ts';
import type { EventNote } from '../../reconciling/events.ts';
import { isDisabled } from '../../webhook/endpoint.ts';
import { afterDelivery, replayed } from '../../webhook/retries.ts';
import { expiresAt, fileListExpiresAt, podsExpireAt } from '../lifetime/lifetime.ts';
import type { Action, OwnedStatus, Situation, Step } from '../observation.ts';
import { withCondition } from '../owned-status.ts';
import { awaitsArchive } from '../policies/archiving.ts';
import { atTheLatest, msUntil } from '../requeue.ts';
import { podExit } from './awaiting-exit.ts';
import { deleteJob } from './ending.ts';

function deliveredNote(webhook: WebhookState): EventNote {
  const last = webhook.log?.at(-1);
  const response = last?.status === undefined ? (last?.error ?? 'no response') : `HTTP ${last.status}`;
  if (webhook.state === 'Delivered')
    return { type: 'Normal', reason: 'WebhookDelivered', message: `the webhook was delivered (${response})` };
  const next = webhook.state === 'Exhausted' ? 'no attempts are left' : `next at ${webhook.nextAttemptAt}`;
  return {
    type: 'Warning',
    reason: webhook.state === 'Exhausted' ? 'WebhookExhausted' : 'WebhookFailed',
    message: `webhook attempt ${webhook.attempts} failed (${response}); ${next}`,
  };
}

function withWebhook(status: OwnedStatus, webhook: WebhookState, now: Date): OwnedStatus {
  const next = { ...status, webhook };
  if (webhook.state === 'Delivered')
    return withCondition(next, 'Notified', { status: 'True', reason: 'Delivered', now });
  return webhook.state === 'Exhausted'
    ? withCondition(next, 'Notified', { status: 'False', reason: 'Exhausted', now })
    : next;
}

function replay({ status, now }: Situation, before: WebhookState, nonce: string): Step {
  const webhook = replayed(before, nonce, now);
  const next = { ...status, webhook };
  if (webhook.state !== 'Pending') return { status: next };
  return {
    status: withCondition(next, 'Notified', { status: 'False', reason: 'WebhookPending', now }),
    events: [
      { type: 'Normal', reason: 'WebhookPending', message: 'the webhook is being resent as requested' },
    ],
  };
}

/** Nothing is sent to an endpoint that is disabled; the event can be replayed once it is enabled again. */
function unsent({ status, now }: Situation, before: WebhookState): Step {
  const { nextAttemptAt: _due, ...rest } = before;
  const reason = 'EndpointDisabled';
  return {
    status: withCondition({ ...status, webhook: { ...rest, state: 'Exhausted' } }, 'Notified', {
      status: 'False',
      reason,
      now,
    }),
    events: [{ type: 'Warning', reason, message: REASONS[reason] }],
  };
}

function deliver(s: Situation, before: WebhookState): Step {
  const { status, now, seen } = s;
  if (isDisabled(seen.project, endpointOf(seen.zipJob.spec.webhook ?? {}))) return unsent(s, before);
  const dueMs = (timeOf(before.nextAttemptAt) ?? 0) - now.getTime();
  return dueMs > 0 ? { status, requeueAfterMs: dueMs } : { status, actions: [{ kind: 'deliverWebhook' }] };
}

function notify(s: Situation): Step {
  const { status, now, seen, config } = s;
  const before = status.webhook;
  if (!before || seen.delivery.kind === 'inFlight') return { status };
  if (before.state === 'Pending' && seen.delivery.kind === 'responded') {
    const webhook = afterDelivery(before, seen.delivery.response, { schedule: config.webhookSchedule, now });
    const requeueAfterMs = (timeOf(webhook.nextAttemptAt) ?? now.getTime()) - now.getTime();
    return { status: withWebhook(status, webhook, now), events: [deliveredNote(webhook)], requeueAfterMs };
  }
  const nonce = commandOf(seen.zipJob.metadata, ANNOTATIONS.replayWebhook, before.replayNonce);
  if (nonce !== undefined) return replay(s, before, nonce);
  return before.state === 'Pending' ? deliver(s, before) : { status };
}

interface Due {
  readonly at: Date | undefined;
  readonly actions: readonly Action[];
}

function podsDue({ seen, config, now }: Situation): readonly Due[] {
  const expires = podsExpireAt(seen.zipJob, config);
  const at = expires && seen.hasSurplusPods === true ? now : expires;
  return (seen.ownJobs ?? [])
    .map((job) => ({ at, actions: deleteJob(job) }))
    .filter(({ actions }) => actions.length > 0);
}

/** A job that the history lacks has its finalizer until a full project drops it. */
function deletion({ seen, config }: Situation): readonly Action[] {
  return awaitsArchive(seen.zipJob, config)
    ? [{ kind: 'removeFinalizer' }, { kind: 'deleteZipJob', isUnstored: true }]
    : [{ kind: 'deleteZipJob' }];
}

function dueOf(s: Situation): readonly Due[] {
  const { zipJob, listUsers, isSurplus } = s.seen;
  const secretNames = zipJob.spec.filesFrom?.secretNames ?? [];
  const listUntil = fileListExpiresAt(zipJob, s.config, listUsers);
  const pods = podsDue(s);
  const ownedUntil = [listUntil, ...pods.map(({ at }) => at)];
  return [
    { at: listUntil, actions: [{ kind: 'deleteFileList', secretNames }] },
    { at: expiresAt(zipJob, s.config, { listUsers, isSurplus, ownedUntil }), actions: deletion(s) },
    // Last: a policy may refuse to delete a Job that a user added, and all others are deleted with the ZipJob.
    ...pods,
  ];
}

/** The history gets the changed status in a second write; this one is due anyway. */
function withOutdatedArchive({ status: before, seen, now }: Situation, step: Step): Step {
  return archiveStateOf(seen.zipJob) !== 'stored' || isDeepStrictEqual(step.status, before)
    ? step
    : {
        ...step,
        status: withCondition(step.status, 'Archived', { status: 'True', reason: 'ArchiveOutdated', now }),
      };
}

/**
 * After the job finished: removes the finalizer once the history has the job, delivers the webhook, records the exit of the pod,
 * deletes the file list, the Kubernetes Jobs and finally the ZipJob.
 */
export function finished(s: Situation): Step {
  return withOutdatedArchive(s, finishedStep(s));
}

function finishedStep(s: Situation): Step {
  const { metadata } = s.seen.zipJob;
  const release: readonly Action[] =
    holdsFinalizer(metadata) && !awaitsArchive(s.seen.zipJob, s.config) ? [{ kind: 'removeFinalizer' }] : [];
  if (metadata.deletionTimestamp !== undefined)
    // A finalizer of another controller may keep the ZipJob, but not its slot.
    return release.length > 0 ? { status: s.status, actions: release } : podExit(s);
  const exit = podExit(s);
  const reported = notify({ ...s, status: exit.status });
  const due = dueOf(s);
  const later = due.map(({ at }) => at).filter((at) => at !== undefined && at > s.now);
  return {
    ...atTheLatest(atTheLatest(reported, exit.requeueAfterMs), msUntil(s.now, ...later)),
    actions: [
      ...(s.seen.delivery.kind === 'stale' ? [{ kind: 'discardDelivery' } as const] : []),
      ...(exit.actions ?? []),
      ...release,
      ...(reported.actions ?? []),
      ...due.filter(({ at }) => at !== undefined && at <= s.now).flatMap(({ actions }) => actions),
    ],
  };
}
