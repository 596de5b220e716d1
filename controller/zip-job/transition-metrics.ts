import { faultOf } from '#crds/job-failures.ts';
import { endpointsOf, findEndpoint } from '#crds/webhook-endpoints.ts';
import { type Attempt, TERMINAL_PHASES, type WebhookState, type ZipJobStatus } from '#crds/zip-job.ts';
import { statusClass } from '#runtime/http/status-class.ts';
import { isOwnReason } from '../cluster/own-reason.ts';
import { timeOf } from '../cluster/times.ts';
import type { ControllerMetrics } from '../metrics.ts';
import { countResumes } from './resume-metrics.ts';

function secondsBetween(from: string | undefined, to: number | undefined): number | undefined {
  const started = timeOf(from);
  return started === undefined || to === undefined ? undefined : Math.max(0, (to - started) / 1000);
}

function isTerminal(status: ZipJobStatus): boolean {
  return TERMINAL_PHASES.some((phase) => phase === status.phase);
}

function newAttempts(before: ZipJobStatus, after: ZipJobStatus): readonly Attempt[] {
  const last = before.attempts?.at(-1)?.n ?? 0;
  return after.attempts?.filter(({ n }) => n > last) ?? [];
}

function abortFailuresIn({ attempts = [] }: ZipJobStatus): ReadonlyMap<number, number> {
  return new Map(attempts.map(({ n, abortFailures = 0 }) => [n, abortFailures]));
}

function countAbortFailures(metrics: ControllerMetrics, { project, before, after }: Move): void {
  const known = abortFailuresIn(before);
  for (const [n, failures] of abortFailuresIn(after)) {
    const more = failures - (known.get(n) ?? 0);
    if (more > 0) metrics.abortFailures.inc(project, {}, more);
  }
}

/** Maps unknown reasons to one label, so that pods cannot create series. */
function reasonLabel(reason: string | undefined): string {
  return reason !== undefined && isOwnReason(reason) ? reason : 'Other';
}

function countEnd(metrics: ControllerMetrics, { project, after }: Move): void {
  const { phase = 'Failed', reason, startedAt, finishedAt, result: archive } = after;
  const result = phase.toLowerCase();
  const fault = phase === 'Failed' ? faultOf(reason ?? '') : 'none';
  metrics.finished.inc(project, { result, reason: reasonLabel(reason), fault });
  const seconds = secondsBetween(startedAt, timeOf(finishedAt));
  if (seconds !== undefined) metrics.durationSeconds.observe({ result }, seconds);
  if (phase !== 'Succeeded' || !archive) return;
  metrics.archiveBytes.observe(project, archive.bytes);
  metrics.files.observe(archive.entries);
}

function attemptsOf(webhook: WebhookState | undefined): number {
  return webhook?.attempts ?? 0;
}

function countFirstAttempt(
  metrics: ControllerMetrics,
  { after: { finishedAt }, now }: Move,
  delivery: WebhookState | undefined,
): void {
  const seconds = secondsBetween(finishedAt, now.getTime());
  if (delivery?.attempts === 1 && seconds !== undefined) metrics.firstAttemptSeconds.observe(seconds);
}

/** Counts the delivery to one endpoint. */
function countDelivery(metrics: ControllerMetrics, move: Move, name: string): void {
  const before = findEndpoint<WebhookState>(move.before.webhook, name);
  const after = findEndpoint<WebhookState>(move.after.webhook, name);
  // Includes a webhook that was never sent because its endpoint is disabled.
  if (after?.state === 'Exhausted' && before?.state !== 'Exhausted') metrics.exhausted.inc(move.project, {});
  const last = after?.log?.at(-1);
  // A replay counts from 0 again.
  if (!last || attemptsOf(after) <= attemptsOf(before)) return;
  const outcome = last.status === undefined ? 'error' : statusClass(last.status);
  metrics.deliveries.inc(move.project, { outcome });
  metrics.deliverySeconds.observe(last.durationMs / 1000);
  countFirstAttempt(metrics, move, after);
}

function countStart(metrics: ControllerMetrics, { before, after, now }: Move): void {
  const waited = secondsBetween(after.acceptedAt, now.getTime());
  if (waited === undefined) return;
  if (!before.job && after.job) metrics.queueSeconds.observe(waited);
  if (before.startedAt === undefined && after.startedAt !== undefined) metrics.startSeconds.observe(waited);
}

interface Move {
  /** Namespace of the job. */
  readonly project: string;
  readonly before: ZipJobStatus;
  readonly after: ZipJobStatus;
  readonly now: Date;
}

/**
 * Counts the changes of one successful status write. Counting decisions instead would count twice after a conflict or a
 * restart.
 */
export function countTransition(metrics: ControllerMetrics, move: Move): void {
  const { before, after } = move;
  const attempts = newAttempts(before, after);
  for (const attempt of attempts) metrics.attempts.inc({ class: attempt.class ?? 'transient' });
  countResumes(metrics, before, { after, attempts });
  countAbortFailures(metrics, move);
  countStart(metrics, move);
  if (!isTerminal(before) && isTerminal(after)) countEnd(metrics, move);
  for (const { name } of endpointsOf<WebhookState>(after.webhook)) countDelivery(metrics, move, name);
}
