import { type ConditionType, findCondition } from '#crds/conditions.ts';
import { endpointsOf, overallState } from '#crds/webhook-endpoints.ts';
import {
  isFinished,
  type WebhookDelivery,
  type WebhookState,
  type ZipJob,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import { acceptedAtOf } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import { attemptStages } from './attempt-stages.ts';
import type { Stage, StageState } from './stage.ts';

function trueSince({ conditions }: ZipJobStatus, type: ConditionType): string | undefined {
  const condition = findCondition(conditions, type);
  return condition?.status === 'True' ? condition.lastTransitionTime : undefined;
}

/** The state of the stage in which the job ended. */
function endState({ phase }: ZipJobStatus): StageState {
  return phase === 'Cancelled' ? 'stopped' : 'failed';
}

function queued(zipJob: ZipJob, createdAt: string | undefined): Stage {
  const { status = {} } = zipJob;
  const start = acceptedAtOf(zipJob);
  const name = 'Queued';
  if (createdAt !== undefined) return { name, state: 'done', ...defined({ start }), end: createdAt };
  if (isFinished(zipJob))
    return { name, state: endState(status), ...defined({ start, end: status.finishedAt }) };
  return { name, state: 'running', ...defined({ start, detail: status.message }) };
}

/** Whether a zipper ran, although none wrote progress. */
function hasExited({ attempts = [] }: ZipJobStatus): boolean {
  return attempts.some(({ exitCode }) => exitCode !== undefined);
}

/** From the creation of the Kubernetes Job to the first progress of a zipper. */
function starting(zipJob: ZipJob, createdAt: string | undefined): Stage {
  const { status = {} } = zipJob;
  const name = 'Starting';
  if (createdAt === undefined) return { name, state: isFinished(zipJob) ? 'skipped' : 'waiting' };
  const { startedAt, finishedAt } = status;
  if (startedAt !== undefined) return { name, state: 'done', start: createdAt, end: startedAt };
  if (hasExited(status)) return { name, state: 'done', start: createdAt };
  if (isFinished(zipJob))
    return { name, state: endState(status), start: createdAt, ...defined({ end: finishedAt }) };
  return { name, state: 'running', start: createdAt, ...defined({ detail: status.message }) };
}

function endOf({ at, durationMs }: WebhookDelivery): string {
  return new Date(Date.parse(at) + durationMs).toISOString();
}

const WEBHOOK_STATES: Readonly<Record<WebhookState['state'], StageState>> = {
  Pending: 'running',
  Delivered: 'done',
  Exhausted: 'failed',
  NotConfigured: 'skipped',
};

function webhook({ spec, status = {} }: ZipJob): Stage {
  const name = 'Webhook';
  const { webhook: seen, finishedAt } = status;
  if (seen === undefined) return { name, state: spec.webhook === undefined ? 'skipped' : 'waiting' };
  const state = overallState(seen);
  if (state === 'NotConfigured')
    return { name, state: 'skipped', detail: 'No webhook is configured for this event.' };
  const ends = endpointsOf<WebhookState>(seen).flatMap(({ deliveredAt, log }) => {
    const last = log?.at(-1);
    return deliveredAt ?? (last ? endOf(last) : []);
  });
  const end = state === 'Pending' ? undefined : ends.toSorted().at(-1);
  return { name, state: WEBHOOK_STATES[state], ...defined({ start: finishedAt, end }) };
}

/**
 * The stages of a job, in order, with the steps of its attempts as parts. Works on the archived form too. Every time is one
 * that the status has; Kubernetes keeps whole seconds, and of each condition only the last transition.
 */
export function stagesOf(zipJob: ZipJob): readonly Stage[] {
  const createdAt = trueSince(zipJob.status ?? {}, 'JobCreated');
  return [queued(zipJob, createdAt), starting(zipJob, createdAt), ...attemptStages(zipJob), webhook(zipJob)];
}
